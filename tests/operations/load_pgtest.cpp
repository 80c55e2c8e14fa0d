#include "actors/running_context.hpp"
#include "support/eventually.hpp"
#include "support/session.hpp"

#include <cuebox/operations/recovery.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>
#include <future>

using namespace cuebox;
using namespace cuebox::operations;
using cuebox::actors::test::ledger;
using cuebox::actors::test::order_placed;
using cuebox::actors::test::running_context;
using cuebox::outbox::test::migrated;
using cuebox::test::eventually;
using namespace std::chrono_literals;

namespace cuebox::operations::test {

struct order_paid
{
    static constexpr std::string_view event_type = "order.paid";
    static constexpr int event_version = 1;

    std::int64_t number{};
};

}

namespace {

using operations::test::order_paid;

// Of each kind: those that fail before the replay, and those that arrive during it.
constexpr std::int64_t failing = 5'000;
constexpr std::int64_t arriving = 2'000;
// What a worker holds that dies.
constexpr std::int64_t held = 50;
constexpr std::int64_t orders = failing + arriving + held;

// What the handlers have done, by the number of the order, whichever thread they ran on.
struct warehouse
{
    std::atomic<bool> closed = true;
    std::vector<std::atomic<int>> noted = std::vector<std::atomic<int>>(orders);
    std::vector<std::atomic<int>> shipped = std::vector<std::atomic<int>>(orders);
};

// Succeeds at once: no replay may run it again.
awaitable<void> note(warehouse& house, delivery<order_placed> order)
{
    ++house.noted.at(static_cast<std::size_t>(order->number));
    co_return;
}

awaitable<void> ship(warehouse& house, delivery<order_placed> order)
{
    if (house.closed)
        throw terminal_error("Carrier", "closed");
    ++house.shipped.at(static_cast<std::size_t>(order->number));
    co_return;
}

constexpr pg::statement insert_payment{.name = "insert payment",
                                       .sql = "insert into payments values ($1)"};

awaitable<void> book_payment(warehouse& house, delivery<order_paid> order, pg::transaction& work)
{
    co_await work.execute(insert_payment, order->number);
    if (house.closed)
        throw terminal_error("Bank", "closed");
}

registry handlers_of(warehouse& house)
{
    registry all;
    all.on<order_placed>("billing.note", [&](delivery<order_placed> order) {
        return note(house, std::move(order));
    });
    all.on<order_placed>("billing.ship", [&](delivery<order_placed> order) {
        return ship(house, std::move(order));
    });
    all.on<order_paid>("billing.payment", [&](delivery<order_paid> order, pg::transaction& work) {
        return book_payment(house, std::move(order), work);
    });
    return all;
}

// Both kinds for each number, in transactions of a hundred.
pg::awaitable<void> publish(pg::connect_options where, std::int64_t from, std::int64_t until)
{
    const outbox::publisher publisher{{.source = "shop", .generation = 7}};
    pg::connection connection = co_await pg::connect(where);
    while (from < until) {
        std::vector<outbox::outgoing> events;
        for (const auto end = std::min(from + 100, until); from < end; ++from) {
            const order_placed placed{.number = from, .buyer = "ada"};
            const order_paid paid{.number = from};
            events.push_back(publisher.prepare(placed));
            events.push_back(publisher.prepare(paid));
        }
        pg::transaction work{connection};
        co_await publisher.publish(work, std::move(events));
        co_await work.commit();
    }
}

pg::awaitable<bulk_result> replay_all(pg::connect_options where, std::string actor)
{
    pg::connection connection = co_await pg::connect(where);
    const dlq_filter everything;
    const replay_options how{.bulk = {.actor = actor, .batch = 250}};
    bulk_result done = co_await replay_dlq_events(connection, everything, how);
    co_return done;
}

// A worker that takes rows and dies: what it held is the reaper's to give back. They are its own
// from the moment they are published, so nobody is faster.
std::string take_and_die(const migrated& database)
{
    const auto from = std::to_string(failing + arriving);
    cuebox::test::session ghost{database.conninfo()};
    ghost.ask("select core.worker_register('ghost', 'billing', 7, 'h', 1)");
    ghost.ask("begin; select core.outbox_publish('order.placed', 'shop', 7, "
              "jsonb_build_object('number', n, 'buyer', 'ada')) from generate_series(" +
              from + ", " + from + " + " + std::to_string(held - 1) + ") n");
    auto taken = ghost.ask(
        "select count(*) from core.outbox_claim('ghost', gen_random_uuid(), 7, 'billing', "
        "'{order.placed}', null, " +
        std::to_string(held) + ", '-infinity', '-infinity')");
    ghost.ask("commit");
    ghost.kill();
    return taken;
}

std::size_t other_than_once(const std::vector<std::atomic<int>>& counts)
{
    return static_cast<std::size_t>(std::ranges::count_if(counts, [](int n) { return n != 1; }));
}

}

TEST_CASE("ten thousand replays under load: no effect twice, none lost, the history complete",
          "[operations]")
{
    const migrated database;
    database.query("create table payments (number bigint)");
    cuebox::test::session link{database.conninfo()};
    warehouse house;
    ledger book;
    const registry handlers = handlers_of(house);
    std::optional<running_context> one(std::in_place, database, handlers, book);
    std::optional<running_context> two(std::in_place, database, handlers, book);
    one->wait_until_listening();
    two->wait_until_listening();
    outbox::test::run(publish(database.options(), 0, failing));
    REQUIRE(eventually(
        [&] { return link.ask("select count(*) from core.dead_letters") == "10000"; }, 60s));

    house.closed = false;
    auto arrivals = std::async(std::launch::async, [&] {
        outbox::test::run(publish(database.options(), failing, failing + arriving / 2));
        auto taken = take_and_die(database);
        outbox::test::run(publish(database.options(), failing + arriving / 2, failing + arriving));
        return taken;
    });
    auto ada = std::async(std::launch::async,
                          [&] { return outbox::test::run(replay_all(database.options(), "ada")); });
    auto bob = std::async(std::launch::async,
                          [&] { return outbox::test::run(replay_all(database.options(), "bob")); });
    const bulk_result by_ada = ada.get();
    const bulk_result by_bob = bob.get();
    CHECK(arrivals.get() == std::to_string(held));

    REQUIRE(eventually(
        [&] {
            return link.ask("select count(*) from core.outbox where status <> 'delivered'") == "0";
        },
        60s));
    one.reset();
    two.reset();
    CHECK(by_ada.done + by_bob.done == 2 * failing);
    CHECK(other_than_once(house.noted) == 0);
    CHECK(other_than_once(house.shipped) == 0);
    CHECK(link.ask("select count(*), count(distinct number) from payments") == "7000|7000");
    CHECK(link.ask("select jsonb_array_length(failure_history), count(*) from core.outbox "
                   "group by 1 order by 1") == "0|4050\n1|10000");
    CHECK(link.ask("select event_type, e->>'last_error', e->>'handler', count(*) "
                   "from core.outbox, jsonb_array_elements(failure_history) e "
                   "where e->>'replayed_by' in ('ada', 'bob') and e->>'failed_at' is not null "
                   "and e->>'replayed_at' is not null group by 1, 2, 3 order by 1") ==
          "order.paid|Bank: closed|billing.payment|5000\n"
          "order.placed|Carrier: closed|billing.ship|5000");
    CHECK(link.ask("select count(*) from core.workers") == "0");
    CHECK(link.ask("select count(*), count(distinct row_id) from core.operator_actions "
                   "where action = 'replay'") == "10000|10000");
    CHECK(link.ask("select handler_name, count(*) from core.event_handled group by 1 order by 1") ==
          "billing.note|7050\nbilling.payment|7000\nbilling.ship|7050");
}
