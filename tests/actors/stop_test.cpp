#include "staged_context.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cuebox;
using namespace cuebox::actors;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

using numbers = std::vector<std::int64_t>;

awaitable<void> never_called(delivery<order_placed>, pg::transaction&)
{
    throw std::logic_error("there is no transaction");
    co_return;
}

}

TEST_CASE("an idle context stops at once, and hangs up", "[actors]")
{
    staged_context billing;
    billing.start();

    const duration took = billing.stop();

    CHECK(took == 0s);
    CHECK(billing.relay->times(statement::hang_up).size() == 1);
    CHECK(billing.count_trouble() == 0);
}

TEST_CASE("handlers that run when a context is stopped may finish", "[actors]")
{
    staged_context billing;
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    billing.ask_to_stop();
    billing.relay->publish(8);
    billing.advance(10s);
    CHECK_FALSE(billing.ended());
    billing.mail.desk.open();
    billing.run();

    CHECK(billing.ended());
    CHECK(billing.mail.done == numbers{7});
    CHECK(billing.relay->row(id).status == row_status::delivered);
    CHECK(billing.relay->count(row_status::pending) == 1); // Nothing was claimed any more.
    CHECK(billing.count_trouble() == 0);
}

TEST_CASE("handlers that run past the stop deadline are cancelled, and no attempt is burnt",
          "[actors]")
{
    staged_context billing;
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    billing.ask_to_stop();
    billing.advance(30s - 1ms);
    CHECK(billing.mail.cancelled.empty());
    billing.advance(1ms);

    CHECK(billing.ended());
    CHECK(billing.mail.cancelled == numbers{7});
    CHECK(billing.relay->row(id).status == row_status::pending);
    CHECK(billing.relay->row(id).row.attempts == 0);
    CHECK(billing.relay->row(id).last_error.empty());
    CHECK(billing.relay->handled.empty());
}

TEST_CASE("rows that were claimed and not started go back when a context is stopped", "[actors]")
{
    staged_context billing{{.workers = 10, .claim = {.batch_min = 10, .batch_max = 40}}};
    billing.mail.waits_from = 100; // After so many more is claimed than there are workers.
    billing.mail.desk.close();
    billing.relay->publish_many(200);
    billing.start();
    REQUIRE(billing.load().waiting > 0);
    REQUIRE(billing.mail.begun.size() == 110);

    billing.ask_to_stop();
    billing.mail.desk.open();
    billing.stop();

    CHECK(billing.relay->count(row_status::in_flight) == 0);
    CHECK(billing.relay->count(row_status::pending) == 90);
    CHECK(billing.relay->count(row_status::delivered) == 110);
    CHECK(billing.mail.begun.size() == 110);
    CHECK(billing.relay->delays.empty()); // No attempt was burnt.
}

TEST_CASE("a claim that is answered after the stop is given back", "[actors]")
{
    staged_context billing;
    billing.start();
    billing.relay->hold(statement::exchange);
    const auto id = billing.relay->publish(7);
    billing.run();

    billing.ask_to_stop();
    billing.relay->release(statement::exchange);
    billing.stop();

    CHECK(billing.mail.begun.empty());
    CHECK(billing.relay->row(id).status == row_status::pending);
    CHECK(billing.relay->row(id).row.attempts == 0);
    CHECK(billing.count_trouble() == 0);
}

TEST_CASE("an event is not delivered while one of its handlers has had no turn", "[actors]")
{
    staged_context billing;
    clerk audit; // Comes before billing.mail.
    audit.stubborn = true;
    audit.desk.close();
    billing.add("billing.audit", audit);
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    billing.stop();

    CHECK(audit.done == numbers{7});
    CHECK(billing.mail.begun.empty());
    CHECK(billing.relay->row(id).status == row_status::pending);
    CHECK(billing.relay->row(id).row.attempts == 0);
    CHECK(billing.relay->handled.size() == 1); // It will not run again for this event.
}

TEST_CASE("a transactional handler that waits for its transaction is cancelled without an attempt",
          "[actors]")
{
    staged_context billing;
    billing.handlers.on<order_placed>("billing.write", &never_called);
    billing.relay->hold(statement::begin);
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();
    REQUIRE(billing.relay->held(statement::begin) == 1);

    billing.stop();

    CHECK(billing.relay->row(id).status == row_status::pending);
    CHECK(billing.relay->row(id).row.attempts == 0);
}

TEST_CASE("a context stops although the database is away, and twice is fine", "[actors]")
{
    staged_context billing;
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    billing.relay->database_away = true;
    billing.ask_to_stop();
    billing.ask_to_stop();
    billing.mail.desk.open();
    const duration took = billing.stop();

    CHECK(took < 10s);
    CHECK(billing.relay->row(id).status == row_status::in_flight); // Its lease brings it back.
    CHECK(billing.mail.done == numbers{7});
}

TEST_CASE("a context that is stopped before its line is open ends", "[actors]")
{
    staged_context billing;
    billing.relay->hold(statement::open_line);
    billing.start();

    const duration took = billing.stop();

    CHECK(took <= 5s);
    CHECK(billing.count_said("trouble with the database") == 0);
    CHECK(billing.count_said("the line is down") == 0);
}
