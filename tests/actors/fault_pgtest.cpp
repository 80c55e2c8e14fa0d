#include "actors/running_context.hpp"
#include "support/eventually.hpp"
#include "support/pooler.hpp"
#include "support/tcp_gate.hpp"

#include <cuebox/embedded/server.hpp>
#include <cuebox/outbox/migrate.hpp>

#include <catch2/catch_test_macros.hpp>

#include <atomic>

using namespace cuebox;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

awaitable<void> note_number(ledger& book, delivery<order_placed> order)
{
    book.change([&](ledger& all) { all.numbers.push_back(order->number); });
    co_return;
}

registry noting(ledger& book)
{
    registry handlers;
    handlers.on<order_placed>("billing.note", [&book](delivery<order_placed> order) {
        return note_number(book, std::move(order));
    });
    return handlers;
}

auto has(std::size_t count)
{
    return [count](const ledger& all) { return all.numbers.size() >= count; };
}

// Rows that nobody is woken for.
void place_silently(const migrated& database, int number)
{
    database.query("select core.outbox_publish('order.placed', 'shop', 7, '{\"number\": " +
                   std::to_string(number) + ", \"buyer\": \"ada\"}', p_quiet => true)");
}

void end_listeners(const migrated& database)
{
    database.query("select pg_terminate_backend(pid) from pg_stat_activity "
                   "where application_name = 'cuebox listener' and datname = current_database()");
}

}

TEST_CASE("whatever is committed while a context starts is delivered without a poll", "[actors]")
{
    const migrated database;
    ledger book;
    std::atomic<bool> done = false;
    std::int64_t placed = 0;
    std::thread producer([&] {
        while (!done)
            shop(database).place(placed++);
    });

    for (int round = 0; round < 8; ++round) {
        running_context billing(database, noting(book), book);
        billing.wait_until_listening();
    }
    done = true;
    producer.join();
    running_context last(database, noting(book), book);

    REQUIRE(book.wait(has(static_cast<std::size_t>(placed))));
    last.stop();
    CHECK(database.query("select count(*) from core.outbox where status <> 'delivered'") == "0");
    CHECK(database.query("select count(*) from core.outbox where attempts > 0") == "0");
}

TEST_CASE("a NOTIFY that was lost costs at most one safety poll", "[actors]")
{
    const migrated database;
    ledger book;
    auto options = running_context::options(database);
    options.settings.safety_poll = 300ms;
    running_context billing(database, noting(book), book, options);
    billing.wait_until_listening();

    place_silently(database, 7);

    REQUIRE(book.wait(has(1)));
}

TEST_CASE("a LISTEN connection that is ended comes back, and what came meanwhile is handled",
          "[actors]")
{
    const migrated database;
    ledger book;
    auto options = running_context::options(database);
    options.settings.reconnect.base = 50ms;
    running_context billing(database, noting(book), book, options);
    billing.wait_until_listening();

    end_listeners(database);
    place_silently(database, 1);

    REQUIRE(book.wait(has(1)));
    billing.wait_until_listening();
    shop(database).place(2);
    REQUIRE(book.wait(has(2)));
    CHECK(std::ranges::find(book.lines, "the line is down") != book.lines.end());
}

TEST_CASE("a line that is half open is found out by its heartbeat", "[actors]")
{
    const migrated database;
    cuebox::test::tcp_gate gate;
    ledger book;
    auto options = running_context::options(database);
    options.line->conninfo = gate.conninfo(database.name());
    options.settings.heartbeat = 200ms;
    options.settings.reconnect.base = 50ms;
    running_context billing(database, noting(book), book, options);
    billing.wait_until_listening();

    gate.half_open();
    place_silently(database, 1);
    // Found within the deadline of a check, 5 s; new connections hang too, until the gate is well.
    REQUIRE(book.wait(
        [](const ledger& all) {
            return std::ranges::find(all.lines, "the line is down") != all.lines.end();
        },
        15s));
    gate.pass();

    REQUIRE(book.wait(has(1)));
    billing.wait_until_listening();
    shop(database).place(2);
    REQUIRE(book.wait(has(2)));
}

TEST_CASE("while the line stays down the context polls, and listens again when it is back",
          "[actors]")
{
    const migrated database;
    cuebox::test::tcp_gate gate;
    ledger book;
    auto options = running_context::options(database);
    options.line->conninfo = gate.conninfo(database.name());
    options.settings.reconnect = {.base = 50ms, .cap = 300ms};
    options.settings.heartbeat = 100ms;
    options.settings.poll = 100ms;
    running_context billing(database, noting(book), book, options);
    billing.wait_until_listening();

    gate.refuse();
    gate.cut();
    place_silently(database, 1);
    REQUIRE(book.wait(has(1))); // Nothing was said, so it was polled.
    REQUIRE(
        cuebox::test::eventually([&] { return billing.ask(billing.context().line()).polling; }));
    // Who polls is alive: nobody takes its rows.
    REQUIRE(book.wait([&](const ledger&) {
        return database.query("select count(*) from core.workers where lock_key is null") == "1";
    }));

    gate.accept();
    billing.wait_until_listening();
    CHECK_FALSE(billing.ask(billing.context().load()).polling);
    shop(database).place(2);
    REQUIRE(book.wait(has(2)));
}

TEST_CASE("through a transaction pooler the context says so, and polls", "[actors]")
{
    const migrated database;
    const cuebox::test::pooler pooler;
    ledger book;
    auto options = running_context::options(database);
    options.line->conninfo = pooler.conninfo(database.name());
    options.settings.poll = 100ms;
    running_context billing(database, noting(book), book, options);

    shop(database).place(1);

    REQUIRE(book.wait(has(1)));
    CHECK(std::ranges::any_of(book.lines, [](const std::string& line) {
        return line.starts_with("LISTEN does not work on this connection");
    }));
    CHECK(billing.ask(billing.context().load()).polling);
}

TEST_CASE("a server that stops is waited for, and nothing is lost", "[actors]")
{
    embedded::server server{{.settings = {{"fsync", "off"}}}};
    const pg::connect_options where{.conninfo = server.conninfo()};
    outbox::test::run(outbox::migrate(where));
    ledger book;
    context_options options;
    options.name = "billing";
    options.generation = 7;
    options.line = where;
    options.settings.reconnect = {.base = 100ms, .cap = 500ms};
    options.settings.poll = 200ms;
    options.settings.safety_poll = std::chrono::hours(1);
    running_context billing(where, noting(book), book, options);
    billing.wait_until_listening();
    shop(where).place_many(200);

    server.halt();
    REQUIRE(book.wait([](const ledger& all) {
        return std::ranges::find(all.lines, "the line is down") != all.lines.end();
    }));
    while (!billing.ask(billing.context().load()).polling) {
        // Once it was down for longer than the cap; the test's own time-out is the limit.
    }
    server.restart();

    REQUIRE(book.wait(has(200)));
    billing.wait_until_listening();
    CHECK_FALSE(billing.ask(billing.context().load()).polling);
    shop(where).place(1'000);
    REQUIRE(book.wait(has(201)));
    billing.stop();
    std::ranges::sort(book.numbers);
    const auto repeated = std::ranges::unique(book.numbers);
    book.numbers.erase(repeated.begin(), repeated.end());
    CHECK(book.numbers.size() == 201);
}
