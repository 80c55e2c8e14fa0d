#include "staged_context.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace cuebox;
using namespace cuebox::actors;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

using numbers = std::vector<std::int64_t>;

}

TEST_CASE("an outcome that cannot be written is kept until it can", "[actors]")
{
    staged_context billing;
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    billing.relay->database_away = true;
    billing.mail.desk.open();
    billing.advance(20s);
    CHECK(billing.relay->row(id).status == row_status::in_flight);
    CHECK(billing.count_said("trouble with the database") > 0);
    billing.relay->database_away = false;
    billing.advance(500ms);

    CHECK(billing.relay->row(id).status == row_status::delivered);
    CHECK(billing.mail.begun.size() == 1);
    CHECK(billing.relay->handled.size() == 1);
}

TEST_CASE("outcomes of every kind outlive an absence of the database", "[actors]")
{
    staged_context billing{{.workers = 4}};
    billing.mail.desk.close();
    billing.start();
    billing.relay->publish_many(4);
    billing.run();
    billing.relay->database_away = true;
    billing.mail.desk.open();
    billing.advance(60s);

    billing.relay->publish_many(50);
    billing.relay->database_away = false;
    billing.advance(40s);

    CHECK(billing.relay->count(row_status::delivered) == 54);
    CHECK(billing.mail.begun.size() == 54);
}

TEST_CASE("a settlement is tried again twice a second while the database is away", "[actors]")
{
    staged_context billing;
    billing.mail.desk.close();
    billing.start();
    billing.relay->publish(7);
    billing.run();
    billing.relay->failing = {statement::exchange};
    billing.mail.desk.open();
    billing.run();
    const std::size_t before = billing.relay->times(statement::exchange).size();

    billing.advance(10s);

    const std::size_t tries = billing.relay->times(statement::exchange).size() - before;
    CHECK(tries >= 19);
    CHECK(tries <= 31); // With a claim a second.
    billing.relay->failing.clear();
}

TEST_CASE("being cancelled is never logged as trouble", "[actors]")
{
    const auto held = GENERATE(statement::exchange, statement::extend, statement::mark_running,
                               statement::advance_floor, statement::next_due, statement::open_line,
                               statement::check_line, statement::hang_up, statement::reap,
                               statement::read_gauges);
    CAPTURE(held);
    staged_context billing{{.lease = 3s}};
    billing.relay->hold(held);
    billing.mail.desk.close();
    billing.start();
    billing.relay->publish(7);
    billing.advance(3s);

    billing.stop();

    CHECK(billing.relay->held(held) == 0);
    CHECK(billing.count_said("trouble with the database") == 0);
    CHECK(billing.count_said("the line is down") == 0);
    CHECK(billing.count_said("failed") == 0);
    CHECK(billing.relay->delays.empty());
}

TEST_CASE("an actor that throws is restarted, and the context goes on", "[actors]")
{
    const auto fatal = GENERATE(statement::exchange, statement::extend, statement::mark_running,
                                statement::advance_floor, statement::next_due,
                                statement::check_line, statement::reap, statement::read_gauges);
    CAPTURE(fatal);
    staged_context billing{{.lease = 30s}};
    billing.start();
    billing.mail.desk.close();
    billing.relay->publish(1);
    billing.run();
    billing.relay->crash_on(fatal);

    billing.advance(30s);
    billing.mail.desk.open();
    billing.advance(60s);
    billing.relay->publish(2);
    billing.advance(60s);

    CHECK(billing.count_said("failed") == 1);
    CHECK(billing.relay->count(row_status::delivered) == 2);
    CHECK(billing.load().in_hand == 0);
    CHECK(billing.line().listening);
}

TEST_CASE("a claim of the claimer's earlier life is taken, and does not cost it its room",
          "[actors]")
{
    staged_context billing{{.workers = 4, .claim = {.batch_min = 2, .batch_max = 2}}};
    auto& relay = *billing.relay;
    relay.publish_many(20);
    // Of the two claims that follow the first one ends its settler, with which go the workers and
    // the claimer, and the other is held up.
    relay.upon[statement::exchange] = [&] {
        relay.upon[statement::exchange] = [&] {
            relay.hold(statement::exchange);
            throw 42;
        };
    };
    billing.start();
    billing.advance(1s);
    REQUIRE(billing.restarts("settler-2") == 1);
    REQUIRE(relay.held(statement::exchange) >= 1);

    relay.release(statement::exchange);
    billing.advance(1s);

    CHECK(relay.count(row_status::delivered) == 20);
    CHECK(billing.mail.begun.size() == 20);
    CHECK(billing.load().in_hand == 0);
    billing.mail.desk.close();
    relay.publish_many(9);
    billing.run();
    CHECK(billing.mail.desk.waiting() == 4); // Neither more than there are workers nor fewer.
    billing.mail.desk.open();
}

TEST_CASE("outcomes that a context could not write do not keep it from stopping, nor are they lost",
          "[actors]")
{
    staged_context billing;
    billing.mail.failing = true;
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.relay->upon[statement::exchange] = [&] {
        billing.relay->failing = {statement::exchange};
    };
    billing.advance(1s);
    billing.relay->failing.clear();

    billing.stop();

    CHECK(billing.relay->count(row_status::in_flight) == 0);
    CHECK(billing.relay->row(id).status == row_status::pending);
}

TEST_CASE("after the death of a worker events are taken one at a time, each named first",
          "[actors]")
{
    staged_context billing{{.workers = 4}};
    billing.relay->dead_workers = 1;
    const auto rows = billing.relay->publish_many(3);
    billing.start();
    CHECK(billing.relay->claim_limits().empty());
    billing.relay->dead_workers = 0;
    billing.relay->hold(statement::mark_running);
    billing.advance(500ms);
    CHECK(billing.mail.begun.empty());

    billing.mail.desk.close();
    billing.relay->release(statement::mark_running);
    billing.run();

    CHECK(billing.relay->running == std::vector{rows[0]});
    CHECK(billing.mail.begun.size() == 1);
    billing.mail.desk.open();
    billing.advance(1s);
    CHECK(billing.relay->count(row_status::delivered) == 3);
}
