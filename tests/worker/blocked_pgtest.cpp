#include "support/http_get.hpp"
#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::worker::test;
using cuebox::test::http_get;

namespace {

const workshop::plan held_and_blocked{
    .handlers = R"({"name": "test.hold"}, {"name": "test.block"}, {"name": "test.append"})",
    .settings = R"("workers": 4, )",
    .process = R"("http": {"port": 0}, )"};

// What stands in the log's lines that hold this.
std::string line_with(const std::string& log, std::string_view part)
{
    std::istringstream lines(log);
    std::string line;
    while (std::getline(lines, line))
        if (contains(line, part))
            return line;
    return "";
}

constexpr auto blocks = "a handler blocks its thread";

std::string event_id(const workshop& shop, std::string_view type)
{
    return shop.database.query(
        "select coalesce(event_id, id) from core.outbox where event_type = '" + std::string(type) +
        "' order by id limit 1");
}

}

TEST_CASE(
    "a handler that blocks its thread is named with its event, and the database is not blamed",
    "[worker]")
{
    workshop shop;
    const auto worker = shop.start(held_and_blocked);
    const std::string address = address_of(*worker);
    shop.publish("test.hold", 1, 3);
    REQUIRE(shop.noted("began", 3));
    shop.publish("test.block", 4, 4);
    REQUIRE(shop.noted("blocks", 1));

    REQUIRE(eventually([&] { return contains(worker->log(), blocks); }));
    const std::string said = line_with(worker->log(), blocks);
    CHECK(contains(said, "handler_name=test.block"));
    CHECK(contains(said, "event_id=" + event_id(shop, "test.block")));
    CHECK(contains(said, "event_type=test.block"));
    const auto ready = http_get(address, "/readyz");
    CHECK(ready.status == 503);
    CHECK(contains(ready.body, "test.block blocks its thread with event"));
    const std::string metrics = http_get(address, "/metrics").body;
    CHECK(contains(metrics, R"(cuebox_loop_stalls_total{context="test",handler="test.block"} 1)"));
    CHECK_FALSE(contains(metrics, R"(cuebox_loop_stalled_seconds{context="test",copy="1"} 0)"));
    // Longer than the line's checks may take.
    REQUIRE(eventually([&] {
        return shop.database.query("select clock_timestamp() > max(created_at) + interval '9s' "
                                   "from core.outbox") == "t";
    }));
    // It is heard of all the while, by a connection of the watchdog's.
    CHECK(shop.database.query("select clock_timestamp() - heartbeat_at < interval '7s' "
                              "from core.workers") == "t");
    worker->release();

    CHECK(shop.reaches("delivered 0: 4"));
    CHECK(eventually([&] { return contains(worker->log(), "the thread turns again"); }));
    CHECK(eventually([&] { return http_get(address, "/readyz").status == 200; }));
    CHECK_FALSE(contains(worker->log(), "the line is down"));
    CHECK_FALSE(contains(worker->log(), "no answer"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a transactional handler that blocks after a statement is named as well", "[worker]")
{
    workshop shop;
    shop.database.query("create table effects (number bigint)");
    const auto worker =
        shop.start({.handlers = R"({"name": "test.insert_and_block"}, {"name": "test.insert"})"});
    REQUIRE(worker->listens());
    shop.publish("test.insert_and_block", 1, 1);
    REQUIRE(shop.noted("blocks", 1));

    REQUIRE(eventually([&] { return contains(worker->log(), blocks); }));
    const std::string said = line_with(worker->log(), blocks);
    CHECK(contains(said, "handler_name=test.insert_and_block"));
    CHECK(contains(said, "event_id=" + event_id(shop, "test.insert_and_block")));
    worker->release();

    CHECK(shop.reaches("delivered 0: 1"));
    CHECK(shop.database.query("select count(*) from effects") == "1");
    CHECK(worker->stop() == 0);
}

TEST_CASE("while a handler blocks its thread the rows of its process stay its own", "[worker]")
{
    const workshop::plan short_lease{.handlers = R"({"name": "test.hold"}, {"name": "test.block"})",
                                     .settings =
                                         R"("lease": "6s", "reap": "200ms", "workers": 4, )"};
    workshop shop;
    const auto blocked = shop.start(short_lease);
    REQUIRE(blocked->listens());
    shop.publish("test.hold", 1, 2);
    REQUIRE(shop.noted("began", 2));
    shop.publish("test.block", 3, 3);
    REQUIRE(shop.noted("blocks", 1));
    const auto other = shop.start(short_lease);
    other->release();
    REQUIRE(other->listens());

    // One and a half leases later, in which nothing of the process itself could renew them.
    REQUIRE(eventually([&] {
        return shop.database.query("select clock_timestamp() > max(created_at) + interval '9s' "
                                   "from core.outbox") == "t";
    }));
    CHECK(shop.database.query("select count(*) from core.outbox where status = 'in_flight' and "
                              "attempts = 0") == "3");
    blocked->release();

    CHECK(shop.reaches("delivered 0: 3"));
    CHECK(count(shop.journal(), "began") == 2);
    CHECK(count(shop.journal(), "blocks") == 1);
    CHECK_FALSE(contains(blocked->log(), "no longer ours"));
    CHECK(blocked->stop() == 0);
    CHECK(other->stop() == 0);
}

TEST_CASE("a handler that blocks for longer than a lease loses its rows to others", "[worker]")
{
    const workshop::plan shorter_lease{
        .handlers = R"({"name": "test.hold"}, {"name": "test.block"})",
        .settings = R"("lease": "3s", "reap": "200ms", "workers": 4, )"};
    workshop shop;
    const auto blocked = shop.start(shorter_lease);
    REQUIRE(blocked->listens());
    shop.publish("test.hold", 1, 2);
    REQUIRE(shop.noted("began", 2));
    REQUIRE(shop.known_to_run(2));
    shop.publish("test.block", 3, 3);
    REQUIRE(shop.noted("blocks", 1));
    const auto other = shop.start(shorter_lease);
    other->release();

    // The handler that blocks pays as well, though its own thread never named it.
    CHECK(shop.reaches("delivered 1: 3"));
    blocked->release();

    CHECK(eventually([&] { return contains(blocked->log(), "no longer ours"); }));
    CHECK(blocked->stop() == 0);
    CHECK(other->stop() == 0);
}

TEST_CASE("what a handler offloads keeps its lease and blocks nobody", "[worker]")
{
    workshop shop;
    const auto worker =
        shop.start({.handlers = R"({"name": "test.offload"}, {"name": "test.append"})",
                    .settings = R"("lease": "6s", "reap": "200ms", )"});
    REQUIRE(worker->listens());
    shop.publish("test.offload", 1, 1);
    REQUIRE(shop.noted("blocks", 1));
    shop.publish("test.append", 2, 21);

    CHECK(shop.noted("append", 20));
    REQUIRE(eventually([&] {
        return shop.database.query("select clock_timestamp() > max(created_at) + interval '9s' "
                                   "from core.outbox") == "t";
    }));
    worker->release();

    CHECK(shop.reaches("delivered 0: 21"));
    CHECK(count(shop.journal(), "blocks") == 1);
    CHECK_FALSE(contains(worker->log(), blocks));
    CHECK(worker->stop() == 0);
}
