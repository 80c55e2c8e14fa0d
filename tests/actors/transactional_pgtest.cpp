#include "actors/running_context.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>

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

awaitable<void> refuse_every_tenth(delivery<order_placed> order)
{
    if (order->number % 10 == 3)
        throw terminal_error("refused");
    co_return;
}

awaitable<void> refuse_even(delivery<order_placed> order, std::atomic<int>& lucky)
{
    if (order->number % 2 == 0)
        throw terminal_error("even");
    ++lucky;
    co_return;
}

constexpr pg::statement nap{.name = "nap", .sql = "select pg_sleep(600)"};

awaitable<void> bill_but_hang_at_13(delivery<order_placed> order, pg::transaction& work)
{
    if (order->number == 13)
        co_await work.execute(nap);
    co_await work.execute(insert_invoice, order->number, order->buyer);
}

awaitable<void> commit_by_itself(delivery<order_placed> order, pg::transaction& work)
{
    co_await work.execute(insert_invoice, order->number, order->buyer);
    co_await work.commit();
}

constexpr pg::statement refused{.name = "refused", .sql = "select 1 / 0"};
constexpr pg::statement note_sent{.name = "note",
                                  .sql = "insert into invoices values (-1, 'note')"};

// As one ignores duplicates elsewhere; here the transaction does not forget.
awaitable<void> swallow_errors(delivery<order_placed> order, pg::transaction& work)
{
    co_await work.execute(insert_invoice, order->number, order->buyer);
    try {
        if (order->number == 13)
            co_await work.execute(refused);
    }
    catch (const pg::error&) {
    }
}

awaitable<void> note_with_commit(delivery<order_placed> order, pg::transaction& work)
{
    work.add_to_commit(note_sent, {});
    co_await work.execute(insert_invoice, order->number, order->buyer);
    if (order->number == 13)
        throw std::runtime_error("unlucky");
}

awaitable<void> bill_along(delivery<order_placed> order, pg::transaction& work)
{
    work.send_along(insert_invoice, order->number, order->buyer);
    co_return;
}

awaitable<void> bill_along_but_hang_at_13(delivery<order_placed> order, pg::transaction& work)
{
    if (order->number == 13)
        work.send_along(nap);
    work.send_along(insert_invoice, order->number, order->buyer);
    co_return;
}

// Whether the last thing the listener did was to listen on the class's channel, or it is past that.
std::string listened(const migrated& database)
{
    return database.query(
        "select exists (select from pg_stat_activity where application_name = "
        "'cuebox listener' and datname = current_database() "
        "and state = 'idle' and query ~* 'outbox_gen_7_bulk|listening|heartbeat')");
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
    CHECK(database.query("select number || ' ' || buyer from invoices") ==
          "7 " + std::string(cuebox::test::canary::payload));
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
        return database.query("select count(*) from core.outbox where status <> 'pending'") == "50";
    }));
    billing.stop();
    CHECK(database.query("select count(*) || ' ' || count(distinct number) from invoices") ==
          "49 49");
    CHECK(database.query("select last_error || ' ' || attempts || ' ' || (payload->>'number') "
                         "from core.outbox where status = 'failed'") ==
          "runtime_error: unlucky 0 13");
    CHECK(database.query("select count(*) from core.event_handled") == "49");
}

TEST_CASE("a handler that fails before anybody has written costs its batch-mates nothing",
          "[actors]")
{
    const migrated database;
    shop(database).place_many(50);
    ledger book;
    registry handlers;
    std::atomic<int> runs = 0;
    handlers.on<order_placed>("billing.look",
                              [&runs](delivery<order_placed> order, pg::transaction&) {
                                  ++runs;
                                  return refuse_every_tenth(std::move(order));
                              });

    running_context billing(database, handlers, book);

    REQUIRE(book.wait([](const ledger& all) { return all.count("delivered") == 45; }));
    billing.stop();
    CHECK(database.query("select status || ' ' || count(*) from core.outbox group by status "
                         "order by status") == "delivered 45\nfailed 5");
    CHECK(runs == 50);
    CHECK(database.query("select count(*) from core.event_handled h join core.outbox o on "
                         "o.id = h.event_id where o.status = 'delivered'") == "45");
    CHECK(database.query("select count(*) from core.event_handled") == "45");
}

TEST_CASE("when a row fails that wrote nothing, another with its key has its turn", "[actors]")
{
    const migrated database;
    // Of each two with one key only the second can be billed.
    database.query("insert into core.outbox (id, event_type, source, channel, generation, payload, "
                   "idempotency_key) select core.uuid_v7(), 'order.placed', 'shop', "
                   "'outbox_gen_7', 7, jsonb_build_object('number', n, 'buyer', 'ada'), "
                   "'order-' || n / 2 from generate_series(0, 19) n");
    ledger book;
    registry handlers;
    std::atomic<int> lucky = 0;
    handlers.on<order_placed>("billing.look",
                              [&lucky](delivery<order_placed> order, pg::transaction&) {
                                  return refuse_even(std::move(order), lucky);
                              });

    running_context billing(database, handlers, book);

    REQUIRE(book.wait([&](const ledger&) {
        return database.query("select count(*) from core.outbox where status in ('pending', "
                              "'in_flight')") == "0";
    }));
    billing.stop();
    // Whichever of the two came first, the odd one had its effect.
    CHECK(database.query("select count(*) from core.event_handled") == "10");
    CHECK(lucky >= 10);
    CHECK(database.query("select count(*) from core.outbox where status = 'delivered' and "
                         "(payload->>'number')::int % 2 = 1") == "10");
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

TEST_CASE("a handler that takes the connection with it pays alone", "[actors]")
{
    const migrated database;
    make_invoices(database);
    shop(database).place_many(20);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &bill_but_hang_at_13,
                              {.retry = {.max_retries = 1, .base = 1ms, .cap = 1ms}});
    auto where = database.options();
    where.statement_deadline = 500ms;

    running_context billing(where, handlers, book, running_context::options(database));

    REQUIRE(book.wait([&](const ledger&) {
        return database.query("select count(*) from core.outbox where status = 'delivered'") ==
                   "19" &&
               database.query("select count(*) from core.outbox where status = 'failed'") == "1";
    }));
    billing.stop();
    CHECK(database.query("select count(*) || ' ' || count(distinct number) from invoices") ==
          "19 19");
    CHECK(database.query("select attempts from core.outbox where status = 'failed'") == "1");
}

TEST_CASE("what a handler sends along fails that handler alone", "[actors]")
{
    const migrated database;
    database.query("create table invoices (number bigint primary key, buyer text)");
    database.query("insert into invoices values (13, 'grace')");
    shop(database).place_many(50);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &bill_along);

    running_context billing(database, handlers, book);

    REQUIRE(book.wait([](const ledger& all) {
        return all.count("delivered") == 49 && all.count("failed") == 1;
    }));
    billing.stop();
    CHECK(database.query("select count(*) from invoices") == "50");
    CHECK(database.query("select buyer from invoices where number = 13") == "grace");
    CHECK(database.query("select attempts || ' ' || (payload->>'number') || ' ' || "
                         "(last_error like 'SQLSTATE 23505: %') from core.outbox "
                         "where status = 'failed'") == "0 13 true");
    CHECK(database.query("select count(*) from core.event_handled") == "49");
}

TEST_CASE("a handler that sends along what takes the connection with it pays alone", "[actors]")
{
    const migrated database;
    make_invoices(database);
    shop(database).place_many(20);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &bill_along_but_hang_at_13,
                              {.retry = {.max_retries = 0}});
    auto where = database.options();
    where.statement_deadline = 500ms;

    running_context billing(where, handlers, book, running_context::options(database));

    REQUIRE(book.wait([&](const ledger&) {
        return database.query("select count(*) from core.outbox where status = 'delivered'") ==
                   "19" &&
               database.query("select count(*) from core.outbox where status = 'failed'") == "1";
    }));
    billing.stop();
    CHECK(database.query("select count(*) || ' ' || count(distinct number) from invoices") ==
          "19 19");
}

TEST_CASE("a handler cannot end the transaction it was given", "[actors]")
{
    const migrated database;
    make_invoices(database);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &commit_by_itself, {.retry = {.max_retries = 0}});
    running_context billing(database, handlers, book);
    billing.wait_until_listening();

    shop(database).place(7);

    REQUIRE(book.wait([](const ledger& all) { return all.count("failed") == 1; }));
    billing.stop();
    CHECK(database.query("select last_error from core.outbox")
              .starts_with("wrong use of the database: commit: the transaction is lent"));
    CHECK(database.query("select count(*) from invoices") == "0");
    CHECK(database.query("select count(*) from core.event_handled") == "0");
}

TEST_CASE("a context learns of channels with a class, and listens on them from then on", "[actors]")
{
    const migrated database;
    make_invoices(database);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &bill);
    auto options = running_context::options(database);
    options.settings.reconnect.base = 50ms;
    running_context billing(database, handlers, book, options);
    billing.wait_until_listening();
    shop(database).place(1, {.processing_class = "bulk"});
    shop(database).place(2); // What wakes it; the first comes along.
    REQUIRE(book.wait([](const ledger& all) { return all.count("delivered") == 2; }));
    REQUIRE(book.wait([&](const ledger&) { return listened(database) == "t"; }));

    shop(database).place(3, {.processing_class = "bulk"});

    REQUIRE(book.wait([](const ledger& all) { return all.count("delivered") == 3; }));
    // And after the line was lost.
    database.query("select pg_terminate_backend(pid) from pg_stat_activity "
                   "where application_name = 'cuebox listener' and datname = current_database()");
    REQUIRE(book.wait([](const ledger& all) {
        return std::ranges::find(all.lines, "the line is down") != all.lines.end();
    }));
    billing.wait_until_listening();
    shop(database).place(4, {.processing_class = "bulk"});
    REQUIRE(book.wait([](const ledger& all) { return all.count("delivered") == 4; }));
}

TEST_CASE("a handler that swallows an error of its transaction has failed, alone", "[actors]")
{
    const migrated database;
    make_invoices(database);
    shop(database).place_many(20);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &swallow_errors, {.retry = {.max_retries = 0}});

    running_context billing(database, handlers, book);

    REQUIRE(book.wait([](const ledger& all) {
        return all.count("delivered") == 19 && all.count("failed") == 1;
    }));
    billing.stop();
    CHECK(database.query("select count(*) from invoices") == "19");
    CHECK(database.query("select last_error from core.outbox where status = 'failed'")
              .starts_with("transaction left failed: "));
}

TEST_CASE("a deferred constraint is charged to who broke it", "[actors]")
{
    const migrated database;
    database.query("create table invoices (number bigint, buyer text, "
                   "exclude using btree (number with =) deferrable initially deferred)");
    database.query("insert into invoices values (13, 'grace')");
    shop(database).place_many(20);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &bill);

    running_context billing(database, handlers, book);

    REQUIRE(book.wait([](const ledger& all) {
        return all.count("delivered") == 19 && all.count("failed") == 1;
    }));
    billing.stop();
    CHECK(database.query("select count(*) from invoices") == "20");
    CHECK(database.query("select attempts || ' ' || (payload->>'number') from core.outbox "
                         "where status = 'failed'") == "0 13");
}

TEST_CASE("what a handler adds to the commit goes with it, once, or not at all", "[actors]")
{
    const migrated database;
    make_invoices(database);
    shop(database).place_many(20);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.invoice", &note_with_commit, {.retry = {.max_retries = 0}});

    running_context billing(database, handlers, book);

    REQUIRE(book.wait([](const ledger& all) {
        return all.count("delivered") == 19 && all.count("failed") == 1;
    }));
    billing.stop();
    CHECK(database.query("select count(*) from invoices where number >= 0") == "19");
    CHECK(database.query("select count(*) from invoices where number = -1") == "19");
}
