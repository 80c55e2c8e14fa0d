#include "actors/running_context.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

awaitable<void> note_number(ledger& book, delivery<order_placed> order)
{
    book.change([&](ledger& all) { all.numbers.push_back(order->number); });
    co_return;
}

awaitable<void> fail_always(delivery<order_placed> order)
{
    throw std::runtime_error("attempt " + std::to_string(order.attempt()));
    co_return;
}

awaitable<void> refuse(delivery<order_placed>)
{
    throw terminal_error("never");
    co_return;
}

struct no_such_address : std::runtime_error
{
    using std::runtime_error::runtime_error;
};

awaitable<void> look_up(delivery<order_placed> order)
{
    const std::string where = "Nowhere " + std::to_string(order->number);
    if (order->number % 2 == 0)
        throw no_such_address(where);
    throw transient_error("no_house", where);
    co_return;
}

constexpr pg::statement insert_note{.name = "insert note", .sql = "insert into notes values ($1)"};

// Writes twice, and keeps the first.
awaitable<void> write_notes(delivery<order_placed> order)
{
    {
        auto kept = co_await order.begin();
        co_await kept->execute(insert_note, order->number);
        co_await kept->commit();
    }
    auto undone = co_await order.begin();
    co_await undone->execute(insert_note, -order->number);
    co_await undone->rollback();
}

awaitable<void> begin_within(delivery<order_placed> order, pg::transaction&)
{
    co_await order.begin();
}

constexpr retry_policy quick{.max_retries = 3, .base = 1ms, .multiplier = 1, .cap = 1ms};

}

TEST_CASE("an event reaches a leased handler by NOTIFY and is settled", "[actors]")
{
    const migrated database;
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.mail", [&book](delivery<order_placed> order) {
        return note_number(book, std::move(order));
    });
    running_context billing(database, handlers, book);
    billing.wait_until_listening();

    shop(database).place(7);

    REQUIRE(
        book.wait([](const ledger& all) { return all.numbers == std::vector<std::int64_t>{7}; }));
    billing.stop();
    CHECK(database.query("select status || ' ' || attempts from core.outbox") == "delivered 0");
    CHECK(database.query("select count(*) from core.event_handled") == "1");
    CHECK(database.query("select count(*) from core.workers") == "0");
}

TEST_CASE("a context that was given no line listens where its pool connects", "[actors]")
{
    const migrated database;
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.mail", [&book](delivery<order_placed> order) {
        return note_number(book, std::move(order));
    });
    auto options = running_context::options(database);
    options.line.reset();
    running_context billing(database, handlers, book, std::move(options));
    billing.wait_until_listening();

    shop(database).place(7);

    CHECK(book.wait([](const ledger& all) { return all.numbers == std::vector<std::int64_t>{7}; }));
    billing.stop();
}

TEST_CASE("a backlog of leased events is worked off, each once", "[actors]")
{
    const migrated database;
    shop(database).place_many(3'000);
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.mail", [&book](delivery<order_placed> order) {
        return note_number(book, std::move(order));
    });

    running_context billing(database, handlers, book);

    REQUIRE(book.wait([](const ledger& all) { return all.numbers.size() == 3'000; }));
    billing.stop();
    CHECK(database.query("select status || ' ' || count(*) from core.outbox group by status") ==
          "delivered 3000");
    std::ranges::sort(book.numbers);
    CHECK(std::ranges::adjacent_find(book.numbers) == book.numbers.end());
}

TEST_CASE("when the last retry fails the event is a dead letter", "[actors]")
{
    const migrated database;
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.mail", &fail_always, {.retry = quick});
    running_context billing(database, handlers, book);
    billing.wait_until_listening();

    shop(database).place(7);

    REQUIRE(book.wait([](const ledger& all) { return all.count("failed") == 1; }));
    CHECK(book.count("retry") == 3);
    billing.stop();
    CHECK(
        database.query("select status || ' ' || attempts || ' ' || last_error from core.outbox") ==
        "failed 3 runtime_error: attempt 4");
    CHECK(database.query("select count(*) from core.event_handled") == "0");
}

TEST_CASE("a terminal error, and a payload of another shape, fail at once", "[actors]")
{
    const migrated database;
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.mail", &refuse);
    running_context billing(database, handlers, book);
    billing.wait_until_listening();

    shop(database).place(1);
    database.query("select core.outbox_publish('order.placed', 'shop', 7, '{\"number\": \"x\"}')");

    REQUIRE(book.wait([](const ledger& all) { return all.count("failed") == 2; }));
    billing.stop();
    CHECK(database.query("select string_agg(status || ' ' || attempts || ' ' || last_error, ', ' "
                         "order by created_at) from core.outbox") ==
          "failed 0 terminal_error: never, "
          "failed 0 payload_error: /number: expected integer, got string");
}

TEST_CASE("the runbook's query groups dead letters by the type that was thrown, or the class given",
          "[actors]")
{
    const migrated database;
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.mail", &look_up, {.retry = {.max_retries = 0}});
    running_context billing(database, handlers, book);
    billing.wait_until_listening();

    for (int number = 1; number <= 5; ++number)
        shop(database).place(number);

    REQUIRE(book.wait([](const ledger& all) { return all.count("failed") == 5; }));
    billing.stop();
    CHECK(database.query("select split_part(last_error, ':', 1) as error_class, count(*) "
                         "from core.outbox where status = 'failed' group by error_class "
                         "order by count(*) desc") == "no_house|3\nno_such_address|2");
    CHECK(database.query("select last_error from core.outbox where payload->>'number' = '2'") ==
          "no_such_address: Nowhere 2");
}

TEST_CASE("a leased handler may open transactions of its own, a transactional one may not",
          "[actors]")
{
    const migrated database;
    database.query("create table notes (number bigint)");
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.leased", &write_notes);
    handlers.on<order_placed>("billing.within", &begin_within, {.retry = {.max_retries = 0}});
    running_context billing(database, handlers, book);
    billing.wait_until_listening();

    shop(database).place(7);

    REQUIRE(book.wait([](const ledger& all) { return all.count("failed") == 1; }));
    billing.stop();
    CHECK(database.query("select string_agg(number::text, ',') from notes") == "7");
    CHECK(database.query("select last_error like '%opens no transactions: it is in one' from "
                         "core.outbox") == "t");
}

TEST_CASE("a handler whose own judgement of its errors throws is tried again", "[actors]")
{
    const migrated database;
    ledger book;
    registry handlers;
    handlers.on<order_placed>(
        "billing.mail", &fail_always,
        {.retry = quick, .timeout = {}, .terminal = [](const std::exception&) -> bool {
             throw std::logic_error("undecided");
         }});
    running_context billing(database, handlers, book);
    billing.wait_until_listening();

    shop(database).place(7);

    REQUIRE(book.wait([](const ledger& all) { return all.count("failed") == 1; }));
    CHECK(book.count("retry") == 3);
}
