#include <cuebox/actors/flow.hpp>
#include <cuebox/actors/hand.hpp>
#include <cuebox/event/uuid.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors;
using namespace std::chrono_literals;

namespace {

time_point at(duration since)
{
    return time_point{} + since;
}

held_row row_of(const pg::uuid& id)
{
    outbox::claimed_row row;
    row.id = id;
    return {.row = std::make_shared<const outbox::claimed_row>(std::move(row)),
            .token = event::new_event_id()};
}

const pg::uuid one = event::new_event_id();
const pg::uuid two = event::new_event_id();

}

TEST_CASE("rows wait in the order they came in, and a batch has its pace with its last row",
          "[actors]")
{
    hand rows;
    CHECK(rows.add({row_of(one), row_of(two)}, at(0s)).empty());
    CHECK(rows.next().row->id == one);

    rows.start_next(3, at(1s));
    rows.start_next(4, at(1s));

    CHECK(rows.waiting() == 0);
    CHECK(rows.running() == 2);
    CHECK(rows.runs_at(one, 3));
    CHECK_FALSE(rows.runs_at(one, 4));
    CHECK_FALSE(rows.drop(one, at(2s)));
    const auto pace = rows.drop(two, at(5s));
    REQUIRE(pace);
    CHECK(pace->rows == 2);
    CHECK(pace->took == 5s);
    CHECK(rows.size() == 0);
}

TEST_CASE("a worker goes on with what waits, and its batch has its pace all the same", "[actors]")
{
    hand rows;
    rows.add({row_of(one)}, at(0s));
    rows.add({row_of(two)}, at(1s));
    rows.start_next(3, at(1s));
    rows.let_go_on(4);

    const auto next = rows.go_on(one, 3, at(2s));

    REQUIRE(next);
    CHECK(next->row->id == two);
    CHECK(rows.runs_at(two, 3));
    CHECK(rows.size() == 1);
    const auto paces = rows.take_paces();
    REQUIRE(paces.size() == 1);
    CHECK(paces.front().took == 2s);
    CHECK(rows.take_paces().empty());
    // Nothing waits any more: the row stays until its worker has said so.
    CHECK_FALSE(rows.go_on(two, 3, at(3s)));
    CHECK(rows.runs_at(two, 3));
}

TEST_CASE("a worker that may not go on keeps its row, and so does one that has lost it", "[actors]")
{
    hand rows;
    rows.add({row_of(one), row_of(two)}, at(0s));
    rows.start_next(3, at(0s));

    CHECK_FALSE(rows.go_on(one, 3, at(1s)));
    rows.let_go_on(3);
    CHECK_FALSE(rows.go_on(one, 3, at(1s)));
    rows.let_go_on(5);
    CHECK_FALSE(rows.go_on(one, 4, at(1s)));

    CHECK(rows.running() == 1);
    CHECK(rows.waiting() == 1);
    CHECK(rows.go_on(one, 3, at(1s)));
}

TEST_CASE("a row that comes back while it runs has its turn when that has ended", "[actors]")
{
    hand rows;
    rows.add({row_of(one)}, at(0s));
    rows.start_next(7, at(0s));
    const auto anew = row_of(one);

    const auto lost = rows.add({anew}, at(9s));

    REQUIRE(lost.size() == 1);
    CHECK(lost.front().worker == 7);
    CHECK(rows.leases().front().token == anew.token);
    CHECK_FALSE(rows.drop(one, at(10s)));
    REQUIRE(rows.waiting() == 1);
    CHECK(rows.next().token == anew.token);
}

TEST_CASE("a row that came back while it ran and is lost again has no second turn", "[actors]")
{
    hand rows;
    rows.add({row_of(one)}, at(0s));
    rows.start_next(7, at(0s));
    const auto anew = row_of(one);
    rows.add({anew}, at(9s));

    CHECK_FALSE(rows.lose({.id = one, .token = anew.token}, at(10s)));

    rows.drop(one, at(11s));
    CHECK(rows.size() == 0);
    CHECK(rows.waiting() == 0);
}

TEST_CASE("a lost lease is told to who runs the row, and one that waits is forgotten", "[actors]")
{
    hand rows;
    const auto first = row_of(one);
    const auto second = row_of(two);
    const outbox::relay::lease of_one{.id = one, .token = first.token};
    const outbox::relay::lease of_two{.id = two, .token = second.token};
    rows.add({first, second}, at(0s));
    rows.start_next(1, at(0s));

    CHECK_FALSE(rows.lose({.id = one, .token = two}, at(1s))); // Of an older claim.
    CHECK(rows.lose(of_one, at(1s)) == 1U);
    CHECK_FALSE(rows.lose(of_two, at(1s)));
    CHECK(rows.size() == 1);
    CHECK(rows.waiting() == 0);
}

TEST_CASE("rows that run for long are named once, and again with the next", "[actors]")
{
    hand rows;
    rows.add({row_of(one), row_of(two)}, at(0s));
    rows.start_next(1, at(0s));

    CHECK(rows.take_long_running(50ms, at(49ms)).empty());
    CHECK(rows.take_long_running(50ms, at(50ms)) == std::vector{one});
    CHECK(rows.take_long_running(50ms, at(60ms)).empty());
    rows.start_next(2, at(100ms));
    CHECK(rows.take_long_running(50ms, at(150ms)).size() == 2);
}

TEST_CASE("what was not started is given back, a row that came back included", "[actors]")
{
    hand rows;
    rows.add({row_of(one), row_of(two)}, at(0s));
    rows.start_next(1, at(0s));
    rows.add({row_of(one)}, at(1s));

    CHECK(rows.take_waiting().size() == 2);
    CHECK(rows.waiting() == 0);
}

TEST_CASE("a flow that found nothing is hungry when it is woken", "[actors]")
{
    flow orders({"order.placed"}, 1, {});
    const auto request = orders.request(10, 0s);
    CHECK(request.bounds.full);
    CHECK(request.expand);

    orders.asked(request.bounds);
    orders.answered(request.bounds, {.asked = 10, .got = 0, .took = 1ms}, 0, 0s);
    CHECK_FALSE(orders.hungry(1h));
    orders.woken();

    CHECK(orders.hungry(1h));
}

TEST_CASE("a flow whose database was away waits a moment", "[actors]")
{
    flow orders({"order.placed"}, 1, {});

    orders.failed(10s);

    CHECK_FALSE(orders.hungry(10s));
    CHECK(orders.held_back_until(10s) == 11s);
    CHECK(orders.hungry(11s));
    CHECK_FALSE(flow({}, 1, {}).hungry(11s));
}

TEST_CASE("a flow that is woken while it claims is hungry when it has its answer", "[actors]")
{
    flow orders({"order.placed"}, 1, {});
    const auto request = orders.request(10, 0s);
    orders.asked(request.bounds);

    orders.woken();
    orders.answered(request.bounds, {.asked = 10, .got = 0, .took = 1ms}, 0, 0s);

    CHECK(orders.hungry(1s));
}
