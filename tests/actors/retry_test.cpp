#include "staged_context.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

// Rows that are due within so long of each other are one wake.
constexpr duration shortest = 20ms;

std::vector<std::chrono::microseconds> delays_with(std::uint64_t seed)
{
    staged_context billing{{}, {}, seed};
    billing.mail.failing = true;
    billing.start();
    billing.relay->publish(7);
    billing.advance(60s);
    std::vector<std::chrono::microseconds> drawn;
    for (const put_off& each : billing.relay->delays)
        drawn.push_back(each.delay);
    return drawn;
}

}

TEST_CASE("a failing event is tried again at the drawn delays, and is a dead letter after the last",
          "[actors]")
{
    staged_context billing;
    billing.mail.failing = true;
    billing.start();

    const auto id = billing.relay->publish(7);
    billing.advance(60s);

    const auto& row = billing.relay->row(id);
    CHECK(row.status == row_status::failed);
    CHECK(row.row.attempts == 5);
    CHECK(row.last_error == "runtime_error: attempt 6");
    CHECK(billing.count_said("dead letter") == 1);
    const auto& drawn = billing.relay->delays;
    const auto begun = billing.mail.times();
    REQUIRE(drawn.size() == 5);
    REQUIRE(begun.size() == 6);
    duration longest = 1s;
    for (std::size_t i = 0; i < drawn.size(); ++i) {
        CHECK(drawn[i].delay <= longest);
        CHECK(begun[i + 1] == begun[i] + std::max<duration>(drawn[i].delay, shortest));
        CHECK(billing.mail.begun[i].attempt == static_cast<int>(i) + 1);
        longest *= 2;
    }
}

TEST_CASE("the delays of retries repeat with their seed, and differ with another", "[actors]")
{
    const auto first = delays_with(1);
    const auto again = delays_with(1);
    const auto other = delays_with(2);

    REQUIRE(first.size() == 5);
    CHECK(again == first);
    CHECK(other != first);
}

TEST_CASE("an event that succeeds when it is tried again is delivered, its attempts on record",
          "[actors]")
{
    staged_context billing;
    billing.mail.failing = true;
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    billing.mail.failing = false;
    billing.advance(1s);

    CHECK(billing.relay->row(id).status == row_status::delivered);
    CHECK(billing.relay->row(id).row.attempts == 1);
    CHECK(billing.mail.done == std::vector<std::int64_t>{7});
    CHECK(billing.relay->handled.size() == 1);
}

TEST_CASE("a handler may have a retry policy of its own", "[actors]")
{
    handler_options once;
    once.retry.max_retries = 1;
    staged_context billing{{}, once};
    billing.mail.failing = true;
    billing.start();

    const auto id = billing.relay->publish(7);
    billing.advance(10s);

    CHECK(billing.relay->row(id).status == row_status::failed);
    CHECK(billing.relay->row(id).row.attempts == 1);
    CHECK(billing.mail.begun.size() == 2);
}

TEST_CASE("an error for which trying again is pointless is a dead letter at once", "[actors]")
{
    handler_options strict;
    strict.terminal = [](const std::exception&) { return true; };
    staged_context billing{{}, strict};
    billing.mail.failing = true;
    billing.start();

    const auto id = billing.relay->publish(7);
    billing.run();

    CHECK(billing.relay->row(id).status == row_status::failed);
    CHECK(billing.relay->row(id).row.attempts == 0);
    CHECK(billing.relay->row(id).last_error == "runtime_error: attempt 1");
    CHECK(billing.count_said("dead letter") == 1);
}

TEST_CASE("a retry runs only the handlers that have not succeeded yet", "[actors]")
{
    staged_context billing;
    clerk audit;
    audit.failing = true;
    billing.add("billing.audit", audit);
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    audit.failing = false;
    billing.advance(1s);

    CHECK(billing.relay->row(id).status == row_status::delivered);
    CHECK(audit.begun.size() == 2);
    CHECK(billing.mail.begun.size() == 1);
}

TEST_CASE("an event that is due later is handled when it is due, not before", "[actors]")
{
    staged_context billing;
    billing.relay->publish(7, 12s);
    billing.start();

    billing.advance(12s - 1ms);
    CHECK(billing.mail.begun.empty());
    billing.advance(1ms);

    CHECK(billing.mail.done == std::vector<std::int64_t>{7});
}

TEST_CASE("a handler that takes longer than its timeout is cancelled and tried again", "[actors]")
{
    handler_options impatient;
    impatient.timeout = 2s;
    staged_context billing{{}, impatient};
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);

    billing.advance(2s - 1ms);
    CHECK(billing.mail.cancelled.empty());
    billing.advance(1ms);
    CHECK(billing.mail.cancelled == std::vector<std::int64_t>{7});
    CHECK(billing.relay->row(id).status == row_status::pending);
    CHECK(billing.relay->row(id).row.attempts == 1);
    CHECK(billing.relay->row(id).last_error == "timeout: took longer than 2s");
    billing.mail.desk.open();
    billing.advance(1s);

    CHECK(billing.relay->row(id).status == row_status::delivered);
    CHECK(billing.mail.begun.size() == 2);
}

TEST_CASE("of the rows that a worker goes through each has its own time", "[actors]")
{
    handler_options impatient;
    impatient.timeout = 2s;
    impatient.retry.max_retries = 0;
    staged_context billing{{.workers = 1}, impatient};
    billing.mail.desk.close();
    billing.mail.waits_from = 98;
    billing.relay->publish_many(100);
    billing.start();

    // The last two wait, one after the other.
    CHECK(billing.mail.done.size() == 98);
    billing.advance(2s - 1ms);
    CHECK(billing.mail.cancelled.empty());
    billing.advance(1ms);
    CHECK(billing.mail.cancelled.size() == 1);
    billing.advance(2s - 1ms);
    CHECK(billing.mail.cancelled.size() == 1);
    billing.advance(1ms);
    CHECK(billing.mail.cancelled.size() == 2);

    billing.advance(10s);
    CHECK(billing.relay->count(row_status::delivered) == billing.mail.done.size());
    CHECK(billing.mail.begun.size() == 100);
}

TEST_CASE("a handler that returns although its time was up keeps neither its worker nor its row",
          "[actors]")
{
    handler_options impatient;
    impatient.timeout = 1s;
    staged_context billing{{.workers = 1}, impatient};
    clerk audit;
    audit.stubborn = true;
    audit.desk.close();
    billing.add("billing.audit", audit, impatient);
    billing.start();
    const auto id = billing.relay->publish(7);

    billing.advance(2s); // The time of both: the second one has had no turn.
    CHECK(audit.done == std::vector<std::int64_t>{7});
    audit.desk.open();
    billing.advance(2s);

    CHECK(billing.relay->row(id).status == row_status::delivered);
    CHECK(billing.mail.done == std::vector<std::int64_t>{7});
    CHECK(audit.begun.size() == 1);
}

TEST_CASE("a wait that ends while the database is away ends in a run once it is back", "[actors]")
{
    staged_context billing;
    billing.mail.failing = true;
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();
    billing.mail.failing = false;

    billing.relay->database_away = true;
    billing.advance(10s);
    CHECK(billing.mail.begun.size() == 1);
    billing.relay->database_away = false;
    billing.advance(5s);

    CHECK(billing.relay->row(id).status == row_status::delivered);
    CHECK(billing.relay->row(id).row.attempts == 1);
}
