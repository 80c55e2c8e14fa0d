#include "actors/running_context.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

constexpr pg::statement insert_invoice{.name = "insert invoice",
                                       .sql = "insert into invoices values ($1, $2)"};

void make_invoices(const migrated& database)
{
    database.query("create table invoices (number bigint, buyer text)");
}

awaitable<void> bill(delivery<order_placed> order, pg::transaction& work)
{
    co_await work.execute(insert_invoice, order->number, order->buyer);
}

awaitable<void> bill_but_13(delivery<order_placed> order, pg::transaction& work)
{
    co_await work.execute(insert_invoice, order->number, order->buyer);
    if (order->number == 13)
        throw std::runtime_error("unlucky");
}

awaitable<void> bill_at_third_try(delivery<order_placed> order, pg::transaction& work)
{
    if (order.attempt() < 3)
        throw std::runtime_error("not yet");
    co_await work.execute(insert_invoice, order->number, order->buyer);
}

constexpr retry_policy quick{.max_retries = 3, .base = 1ms, .multiplier = 1, .cap = 1ms};

}

TEST_CASE("an event reaches a transactional handler by NOTIFY, and its writes commit with it",
          "[actors]")
{
    const migrated database;
    make_invoices(database);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &bill);
    running_context billing(database, handlers, book);
    billing.wait_until_listening();

    const auto id = shop(database).place(7);

    REQUIRE(book.wait([](const ledger& all) { return all.count("delivered") == 1; }));
    billing.stop();
    CHECK(database.query("select number || ' ' || buyer from invoices") == "7 ada");
    CHECK(database.query("select status from core.outbox") == "delivered");
    CHECK(database.query("select handler_name || ' ' || idempotency_key from core.event_handled") ==
          "billing.invoice " + event::print_uuid(id));
}

TEST_CASE("what was published before the context started is drained", "[actors]")
{
    const migrated database;
    make_invoices(database);
    shop(database).place_many(250);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &bill);

    running_context billing(database, handlers, book);

    REQUIRE(book.wait([](const ledger& all) { return all.count("delivered") == 250; }));
    billing.stop();
    CHECK(database.query("select count(*) || ' ' || count(distinct number) from invoices") ==
          "250 250");
    CHECK(database.query("select count(*) from core.outbox where status <> 'delivered'") == "0");
}

TEST_CASE("an event that fails does not fail its batch-mates", "[actors]")
{
    const migrated database;
    make_invoices(database);
    shop(database).place_many(50);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &bill_but_13, {.retry = {.max_retries = 0}});

    running_context billing(database, handlers, book);

    REQUIRE(book.wait([&](const ledger&) {
        return database.query("select count(*) from core.outbox where status = 'failed'") == "1";
    }));
    billing.stop();
    CHECK(database.query("select count(*) || ' ' || count(distinct number) from invoices") ==
          "49 49");
    CHECK(database.query("select last_error || ' ' || attempts || ' ' || (payload->>'number') "
                         "from core.outbox where status = 'failed'") == "unlucky 0 13");
    CHECK(database.query("select count(*) from core.event_handled") == "49");
}

TEST_CASE("a transient failure is tried again until it succeeds", "[actors]")
{
    const migrated database;
    make_invoices(database);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &bill_at_third_try, {.retry = quick});
    running_context billing(database, handlers, book);
    billing.wait_until_listening();

    shop(database).place(1);

    REQUIRE(book.wait([](const ledger& all) { return all.count("delivered") == 1; }));
    billing.stop();
    CHECK(database.query("select status || ' ' || attempts from core.outbox") == "delivered 2");
    CHECK(database.query("select count(*) from invoices") == "1");
}

TEST_CASE("of two rows with one key one has its effect, the other concedes", "[actors]")
{
    const migrated database;
    make_invoices(database);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &bill);
    // Each key twice, side by side, so that both processes meet at it.
    constexpr int keys = 10'000;
    database.query("insert into core.outbox (id, event_type, source, channel, generation, payload, "
                   "idempotency_key) select core.uuid_v7(), 'order.placed', 'shop', "
                   "'outbox_gen_7', 7, jsonb_build_object('number', n / 2, 'buyer', 'ada'), "
                   "'order-' || n / 2 from generate_series(0, 2 * 10000 - 1) n");

    running_context one(database, handlers, book);
    running_context two(database, handlers, book);

    REQUIRE(book.wait([](const ledger& all) {
        return all.count("delivered") + all.count("duplicate") == 2 * keys;
    }));
    one.stop();
    two.stop();
    CHECK(database.query("select count(*) from invoices") == "10000");
    CHECK(database.query("select count(*) from core.outbox where status = 'delivered'") == "20000");
    CHECK(database.query("select count(*) from core.outbox where attempts > 0") == "0");
}
