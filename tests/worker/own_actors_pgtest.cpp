#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

// Actors that a program puts beside its contexts: test_worker.cpp has some.
using namespace cuebox::worker::test;

TEST_CASE("an actor of one thread serves the handlers of all threads of a worker", "[worker]")
{
    workshop shop;
    shop.publish("test.tally", 1, 300);
    const auto worker =
        shop.start({.handlers = R"({"name": "test.tally"})", .process = R"("threads": 3,)"});

    REQUIRE(shop.reaches("delivered 0: 300"));

    CHECK(worker->stop() == 0);
    CHECK(count(shop.journal(), "tally") == 300);
    CHECK(count(shop.journal(), "tally 300 ") == 1);
    CHECK(count(worker->log(), "listening") == 3);
}

TEST_CASE("a worker whose actors fail too often stops, says so, and exits with 1", "[worker]")
{
    workshop shop;
    shop.publish("test.hold", 1, 4);
    const auto worker = shop.start({.handlers = R"({"name": "test.hold"})"}, {{"FRAGILE", "1"}});
    worker->release();

    CHECK(worker->wait().exit == 1);

    CHECK(contains(worker->log(), "actors/fragile"));
    CHECK(contains(worker->log(), "broken from the start"));
    CHECK(contains(worker->log(), "the program's actors gave up"));
    CHECK(shop.database.query("select count(*) from core.outbox where status = 'in_flight'") ==
          "0");
}
