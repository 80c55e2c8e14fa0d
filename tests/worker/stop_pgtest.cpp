#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <poll.h>
#include <set>

using namespace cuebox::worker::test;

namespace {

// Each number once, whichever process wrote it.
bool each_once(const std::string& journal, std::string_view what, std::size_t times)
{
    std::istringstream lines(journal);
    std::set<int> numbers;
    std::size_t found = 0;
    std::string word;
    int number = 0;
    int pid = 0;
    while (lines >> word >> number >> pid)
        if (word == what) {
            ++found;
            numbers.insert(number);
        }
    return found == times && numbers.size() == times;
}

}

TEST_CASE("SIGTERM under load exits 0, leaves nothing in flight, and a second run does the rest",
          "[worker]")
{
    workshop shop;
    const workshop::plan plan{.handlers = R"({"name": "test.append"}, {"name": "test.insert"})"};
    shop.database.query("create table effects (number bigint)");
    shop.publish("test.append", 1, 15'000);
    shop.publish("test.insert", 1, 15'000);
    const auto first = shop.start(plan);
    REQUIRE(shop.noted("append", 200));

    CHECK(first->stop() == 0);

    CHECK(shop.database.query("select count(*) from core.outbox where status = 'in_flight' or "
                              "attempts > 0 or claim_token is not null and status = 'pending'") ==
          "0");
    // Otherwise it was no stop under load.
    CHECK(shop.database.query("select count(*) > 0 from core.outbox where status = 'pending'") ==
          "t");
    CHECK(shop.database.query("select count(*) > 0 from effects") == "t");
    CHECK(shop.database.query("select count(*) from core.workers") == "0");
    CHECK(contains(first->log(), "stopped"));
    const auto second = shop.start(plan);
    CHECK(shop.reaches("delivered 0: 30000", 60s));
    CHECK(second->stop() == 0);
    CHECK(shop.database.query("select count(*), count(distinct number) from effects") ==
          "15000|15000");
    CHECK(each_once(shop.journal(), "append", 15'000));
}

TEST_CASE("SIGTERM lets a running handler finish and settles it", "[worker]")
{
    workshop shop;
    shop.publish("test.hold", 1, 40);
    const auto worker = shop.start({.handlers = R"({"name": "test.hold"})"});
    REQUIRE(shop.noted("began", 16));

    worker->signal(SIGTERM);
    REQUIRE(eventually([&] { return contains(worker->log(), "stopping"); }));
    worker->release();

    CHECK(worker->wait().exit == 0);
    CHECK(shop.rows() == "delivered 0: 16, pending 0: 24");
    CHECK(count(shop.journal(), "done") == 16);
}

TEST_CASE("at the stop deadline handlers are cancelled and their rows go back untouched",
          "[worker]")
{
    const std::string handler = GENERATE("test.hold", "test.hold_within");
    workshop shop;
    shop.publish("test.hold", 1, 40);
    const auto worker = shop.start({.handlers = R"({"name": ")" + handler + R"("})",
                                    .settings = R"("stop_deadline": "300ms",)"});
    REQUIRE(shop.noted("began", 16));

    CHECK(worker->stop() == 0);

    INFO(handler);
    CHECK(count(shop.journal(), "cancelled") == 16);
    CHECK(shop.rows() == "pending 0: 40");
    CHECK(shop.database.query("select count(*) from core.outbox where last_error is not null or "
                              "claimed_by is not null") == "0");
}

TEST_CASE("a second SIGTERM ends at once and nothing is lost", "[worker]")
{
    workshop shop;
    const workshop::plan plan{.handlers = R"({"name": "test.hold"}, {"name": "test.insert"})"};
    shop.database.query("create table effects (number bigint)");
    shop.publish("test.hold", 1, 40);
    shop.publish("test.insert", 1, 400);
    const auto first = shop.start(plan);
    REQUIRE(shop.noted("began", 16));

    first->signal(SIGTERM);
    REQUIRE(eventually([&] { return contains(first->log(), "stopping"); }));
    ::poll(nullptr, 0, 300); // Two at the same moment are one.
    first->signal(SIGTERM);

    // Its handlers would have held it for thirty seconds.
    CHECK(first->wait(5s).exit == 0);
    CHECK(count(shop.journal(), "done") == 0);
    const auto second = shop.start(plan);
    second->release();
    CHECK(eventually([&] {
        return shop.database.query("select count(*) from core.outbox where status = 'delivered'") ==
               "440";
    }));
    CHECK(second->stop() == 0);
    CHECK(each_once(shop.journal(), "done", 40));
    CHECK(shop.database.query("select count(*), count(distinct number) from effects") == "400|400");
}

TEST_CASE("SIGINT stops as SIGTERM does, also when there is nothing to do", "[worker]")
{
    workshop shop;
    const auto worker = shop.start({.handlers = R"({"name": "test.append"})"});
    REQUIRE(worker->listens());

    worker->signal(SIGINT);

    CHECK(worker->wait(10s).exit == 0);
    CHECK(contains(worker->log(), "stopped"));
}
