#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::worker::test;

namespace {

const workshop::plan short_lease{.handlers = R"({"name": "test.hold"})",
                                 .settings = R"("lease": "3s", "reap": "200ms", "workers": 20,)"};

std::string settled(const workshop& shop)
{
    return shop.database.query("select string_agg(id || ' ' || status || ' ' || attempts || ' ' || "
                               "delivered_at, ',' order by id) from core.outbox");
}

}

TEST_CASE("a worker that slept past its leases can no longer settle what another has done",
          "[worker]")
{
    workshop shop;
    shop.publish("test.hold", 1, 20);
    const auto sleeper = shop.start(short_lease);
    REQUIRE(shop.noted("began", 20));
    REQUIRE(shop.known_to_run(20));
    sleeper->signal(SIGSTOP);
    const auto other = shop.start(short_lease);
    other->release();
    REQUIRE(shop.reaches("delivered 1: 20"));
    const std::string before = settled(shop);

    // Its handlers find that they may finish the moment it wakes up.
    sleeper->release();
    sleeper->signal(SIGCONT);

    CHECK(eventually(
        [&] { return count(sleeper->log(), "the row was no longer ours to settle") == 20; }));
    CHECK(count(shop.journal(), "done") == 40);
    CHECK(settled(shop) == before);
    CHECK(shop.database.query("select count(*) from core.event_handled") == "20");
    shop.publish("test.hold", 21, 21);
    CHECK(shop.reaches("delivered 0: 1, delivered 1: 20"));
    CHECK(sleeper->stop() == 0);
    CHECK(other->stop() == 0);
}

TEST_CASE("the handlers of leases that were lost are cancelled, and their workers are free again",
          "[worker]")
{
    workshop shop;
    shop.publish("test.hold", 1, 20);
    const auto sleeper = shop.start(short_lease);
    REQUIRE(shop.noted("began", 20));
    REQUIRE(shop.known_to_run(20));
    sleeper->signal(SIGSTOP);
    const auto other = shop.start(short_lease);
    other->release();
    REQUIRE(shop.reaches("delivered 1: 20"));
    const std::string before = settled(shop);
    REQUIRE(other->stop() == 0);

    sleeper->signal(SIGCONT);

    CHECK(shop.noted("cancelled", 20));
    CHECK(settled(shop) == before);
    sleeper->release();
    shop.publish("test.hold", 21, 40);
    CHECK(shop.reaches("delivered 0: 20, delivered 1: 20"));
    CHECK(sleeper->stop() == 0);
}

TEST_CASE("a handler that runs for longer than a lease keeps its row", "[worker]")
{
    workshop shop;
    shop.publish("test.hold", 1, 20);
    const auto slow = shop.start(short_lease);
    REQUIRE(shop.noted("began", 20));
    const auto other = shop.start(short_lease);
    REQUIRE(other->listens());

    // Two leases later.
    REQUIRE(eventually([&] {
        return shop.database.query("select clock_timestamp() > max(created_at) + interval '5s' "
                                   "from core.outbox") == "t";
    }));
    slow->release();

    CHECK(shop.reaches("delivered 0: 20"));
    CHECK(count(shop.journal(), "began") == 20);
    CHECK(slow->stop() == 0);
    CHECK(other->stop() == 0);
}
