#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::worker::test;

TEST_CASE("what a killed worker had in hand is handled by another within ten seconds", "[worker]")
{
    workshop shop;
    const workshop::plan plan{.handlers = R"({"name": "test.hold"})",
                              .settings = R"("workers": 100,)"};
    shop.publish("test.hold", 1, 120);
    const auto first = shop.start(plan);
    REQUIRE(shop.noted("began", 100));
    REQUIRE(shop.known_to_run(100));
    CHECK(shop.rows() == "in_flight 0: 100, pending 0: 20");
    const auto second = shop.start(plan);
    second->release();
    REQUIRE(second->listens());

    first->signal(SIGKILL);

    CHECK(shop.reaches("delivered 0: 20, delivered 1: 100", 10s));
    CHECK(count(shop.journal(), "done") == 120);
    CHECK(first->wait().exit == 128 + SIGKILL);
    CHECK(second->stop() == 0);
    CHECK(shop.database.query("select count(*) from core.workers") == "0");
    CHECK(shop.database.query("select count(*) from core.event_handled") == "120");
}

TEST_CASE("rows that a killed worker had claimed and not started cost it no attempt", "[worker]")
{
    workshop shop;
    // Claims grow while events are handled at once, so that they outnumber the workers.
    const workshop::plan plan{.handlers = R"({"name": "test.append"}, {"name": "test.hold"})",
                              .settings = R"("workers": 12, "batch_time": "10s",)"};
    shop.publish("test.append", 1, 2'000);
    shop.publish("test.hold", 1, 100);
    const auto first = shop.start(plan);
    REQUIRE(shop.noted("began", 12));
    REQUIRE(shop.known_to_run(12));
    const int claimed = std::stoi(
        shop.database.query("select count(*) from core.outbox where status = 'in_flight'"));
    CHECK(claimed > 12);

    first->signal(SIGKILL);
    first->wait();
    const auto second = shop.start(plan);
    second->release();

    CHECK(shop.reaches("delivered 0: 2088, delivered 1: 12"));
    CHECK(second->stop() == 0);
}

TEST_CASE("an event that kills its worker each time ends as a dead letter that says so", "[worker]")
{
    workshop shop;
    const workshop::plan plan{
        .handlers = R"({"name": "test.hold", "retry": {"max_retries": 1, "base": "1ms"}})"};
    shop.publish("test.hold", 1, 1);

    for (std::size_t life = 1; life <= 2; ++life) {
        const auto worker = shop.start(plan);
        REQUIRE(shop.noted("began", life));
        REQUIRE(eventually([&] {
            return shop.database.query("select count(*) from core.workers where "
                                       "cardinality(running) = 1 and id in (select claimed_by from "
                                       "core.outbox)") == "1";
        }));
        worker->signal(SIGKILL);
        worker->wait();
    }
    const auto last = shop.start(plan);

    CHECK(shop.reaches("failed 1: 1"));
    CHECK(shop.database.query("select last_error like 'worker died: %' from core.outbox") == "t");
    CHECK(eventually([&] { return contains(last->log(), "dead letter"); }));
    CHECK(last->stop() == 0);
}
