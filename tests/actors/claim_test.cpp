#include "staged_context.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cuebox;
using namespace cuebox::actors;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

TEST_CASE("while all workers are busy nothing is claimed", "[actors]")
{
    staged_context billing{{.workers = 4}};
    billing.mail.desk.close();
    billing.relay->publish_many(20);
    billing.start();
    CHECK(billing.relay->count(row_status::in_flight) == 4);
    const std::size_t claims = billing.relay->claim_limits().size();

    billing.relay->publish_many(5);
    billing.advance(90s); // Safety polls included.

    CHECK(billing.relay->count(row_status::in_flight) == 4);
    CHECK(billing.relay->claim_limits().size() == claims);
    billing.mail.desk.open();
    billing.run();
    CHECK(billing.relay->count(row_status::delivered) == 25);
    CHECK(billing.mail.begun.size() == 25);
}

TEST_CASE("a worker that becomes free makes room for one more row", "[actors]")
{
    staged_context billing{{.workers = 2}};
    billing.mail.desk.close();
    billing.relay->publish_many(3);
    billing.start();
    CHECK(billing.mail.begun.size() == 2);

    billing.mail.desk.open();
    billing.mail.desk.close();
    billing.run();

    CHECK(billing.mail.begun.size() == 3);
}

TEST_CASE("a claim grows under backlog up to its limit, and shrinks again when idle", "[actors]")
{
    staged_context billing{{.claim = {.batch_min = 10, .batch_max = 40}}};
    billing.relay->publish_many(1'000);

    billing.start();
    CHECK(billing.relay->count(row_status::delivered) == 1'000);
    const auto limits = billing.relay->claim_limits();
    CHECK(limits.front() == 10);
    CHECK(std::ranges::max(limits) == 40);
    for (int i = 0; i < 4; ++i) {
        billing.relay->publish(i);
        billing.advance(1s);
    }

    CHECK(billing.load().claim_size == 10);
    CHECK(billing.relay->claim_limits().back() <= 10);
    CHECK(billing.load().in_hand == 0);
}

TEST_CASE("at the end of a backlog the rows in hand come before a look at everything", "[actors]")
{
    staged_context billing{{.claim = {.batch_min = 10, .batch_max = 80}}};
    billing.mail.desk.close();
    billing.mail.waits_from = 995;
    billing.relay->publish_many(1'000);

    billing.start();
    CHECK(billing.relay->count(row_status::delivered) == 995);
    CHECK(billing.relay->full_claims() == 1); // The first one.
    SECTION("until they are handled")
    {
        billing.mail.desk.open();
        billing.run();
    }
    SECTION("but not for long")
    {
        billing.advance(49ms);
        CHECK(billing.relay->full_claims() == 1);
        billing.advance(1ms);
    }

    CHECK(billing.relay->full_claims() == 2);
}

TEST_CASE("many outcomes do not wait for a look at everything", "[actors]")
{
    staged_context billing{{.lanes = 1, .claim = {.batch_min = 10, .batch_max = 80}}};
    billing.relay->publish_many(1'000);

    billing.start();

    const auto& calls = billing.relay->calls;
    CHECK(billing.relay->count(row_status::delivered) == 1'000);
    CHECK(billing.relay->full_claims() > 1);
    CHECK(std::ranges::any_of(calls, [](const call& each) { return each.outcomes >= 16; }));
    CHECK(std::ranges::none_of(calls,
                               [](const call& each) { return each.full && each.outcomes >= 16; }));
}

TEST_CASE("a claim does not grow while its rows take long", "[actors]")
{
    staged_context billing{{.claim = {.batch_min = 10, .batch_max = 40}}};
    billing.mail.desk.close();
    billing.relay->publish_many(100);
    billing.start();

    for (int i = 0; i < 20; ++i) {
        billing.advance(300ms);
        billing.mail.desk.open();
        billing.mail.desk.close();
        billing.run();
    }

    CHECK(std::ranges::max(billing.relay->claim_limits()) <= 10);
    CHECK(billing.relay->count(row_status::delivered) == 100);
    billing.mail.desk.open();
}

TEST_CASE("a claim that fails is tried again after a pause", "[actors]")
{
    staged_context billing;
    billing.start();
    billing.relay->failing = {statement::exchange};
    billing.relay->publish(7);
    billing.run();
    const auto failed_at = billing.relay->times(statement::exchange);

    billing.advance(1s - 1ms);
    CHECK(billing.relay->times(statement::exchange) == failed_at);
    billing.advance(1ms);
    CHECK(billing.relay->times(statement::exchange).size() == failed_at.size() + 1);
    billing.relay->failing.clear();
    billing.advance(1s);

    CHECK(billing.mail.done == std::vector<std::int64_t>{7});
    CHECK(billing.mail.begun.size() == 1);
}

TEST_CASE("a wake that comes while a claim is under way is not forgotten", "[actors]")
{
    staged_context billing;
    billing.start();
    billing.relay->publish(1);
    billing.relay->hold(statement::exchange);
    billing.run();
    REQUIRE(billing.relay->held(statement::exchange) == 1);

    billing.relay->release(statement::exchange);
    billing.run();
    billing.relay->hold(statement::exchange);
    billing.relay->publish(2);
    billing.run();
    billing.relay->publish(3);
    billing.relay->release(statement::exchange);
    billing.run();

    CHECK(billing.mail.done == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("rows that were claimed but could not be looked up go back, and run later", "[actors]")
{
    staged_context billing;
    billing.mail.failing = true;
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();
    billing.mail.failing = false;

    billing.relay->failing = {statement::already_handled}; // A retry may be a duplicate.
    billing.advance(3s);
    CHECK(billing.mail.begun.size() == 1);
    billing.relay->failing.clear();
    billing.advance(3s);

    CHECK(billing.relay->row(id).status == row_status::delivered);
    CHECK(billing.relay->row(id).row.attempts == 1);
}
