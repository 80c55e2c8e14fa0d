#include "actors/running_context.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

struct gate
{
    std::atomic<bool> closed = true;
};

awaitable<void> note_text(ledger& book, std::string who, delivery<order_placed> order)
{
    book.change(
        [&](ledger& all) { all.lines.push_back(who + " " + std::to_string(order->number)); });
    co_return;
}

awaitable<void> fail_while_closed(gate& gate, ledger& book, std::string who,
                                  delivery<order_placed> order)
{
    if (gate.closed)
        throw std::runtime_error("closed");
    co_await note_text(book, std::move(who), std::move(order));
}

registry noting(ledger& book, const std::string& who)
{
    registry handlers;
    handlers.on<order_placed>(who + ".note", [&book, who](delivery<order_placed> order) {
        return note_text(book, who, std::move(order));
    });
    return handlers;
}

auto said(std::string line)
{
    return
        [line](const ledger& all) { return std::ranges::find(all.lines, line) != all.lines.end(); };
}

}

TEST_CASE("a broadcast reaches every context, each with its own retries and dead letter",
          "[actors]")
{
    const migrated database;
    ledger book;
    gate gate;
    registry failing;
    failing.on<order_placed>("audit.note",
                             [&](delivery<order_placed> order) {
                                 return fail_while_closed(gate, book, "audit", std::move(order));
                             },
                             {.retry = {.max_retries = 0}});
    running_context mail(database, noting(book, "mail"), book,
                         running_context::options(database, "mail"));
    running_context bill(database, noting(book, "bill"), book,
                         running_context::options(database, "bill"));
    running_context audit(database, failing, book, running_context::options(database, "audit"));
    mail.wait_until_listening();
    bill.wait_until_listening();
    audit.wait_until_listening();

    const auto id = shop(database).place(7);

    REQUIRE(book.wait(said("mail 7")));
    REQUIRE(book.wait(said("bill 7")));
    REQUIRE(book.wait([&](const ledger&) {
        return database.query("select count(*) from core.outbox where status = 'failed'") == "1";
    }));
    CHECK(database.query("select target || ' ' || last_error from core.outbox "
                         "where status = 'failed' and event_id = '" +
                         event::print_uuid(id) + "'") == "audit runtime_error: closed");

    gate.closed = false;
    database.query("select core.outbox_replay(id, 7, 'test') from core.outbox "
                   "where status = 'failed'");

    REQUIRE(book.wait(said("audit 7")));
    mail.stop();
    bill.stop();
    audit.stop();
    CHECK(database.query("select count(*) from core.outbox where status = 'delivered'") == "4");
    CHECK(std::ranges::count(book.lines, "mail 7") == 1);
    CHECK(std::ranges::count(book.lines, "bill 7") == 1);
}

TEST_CASE("a context takes what is for it, and leaves the rest pending", "[actors]")
{
    const migrated database;
    ledger book;
    running_context mail(database, noting(book, "mail"), book,
                         running_context::options(database, "mail"));
    mail.wait_until_listening();

    shop(database).place(1, {.target = "bill"});
    shop(database).place(2, {.target = "mail", .generation = 8});
    database.query("select core.outbox_publish('nobody.cares', 'shop', 7, p_target => 'mail')");
    shop(database).place(3, {.target = "mail"});

    REQUIRE(book.wait(said("mail 3")));
    mail.stop();
    CHECK(database.query("select string_agg(status, ' ' order by created_at) from core.outbox") ==
          "pending pending pending delivered");
    CHECK(database.query("select count(*) from core.metrics_unrouted") == "3");
}

TEST_CASE("a context with classes takes these alone", "[actors]")
{
    const migrated database;
    ledger book;
    auto options = running_context::options(database, "mail");
    options.classes = {"bulk"};
    running_context mail(database, noting(book, "mail"), book, options);
    mail.wait_until_listening();

    shop(database).place(1);
    shop(database).place(2, {.processing_class = "bulk"});

    REQUIRE(book.wait(said("mail 2")));
    mail.stop();
    CHECK(database.query("select count(*) from core.outbox where status = 'pending'") == "1");
}

TEST_CASE("of several handlers a retry runs those that have not succeeded", "[actors]")
{
    const migrated database;
    ledger book;
    gate gate;
    auto handlers = noting(book, "mail");
    handlers.on<order_placed>(
        "mail.second",
        [&](delivery<order_placed> order) {
            return fail_while_closed(gate, book, "second", std::move(order));
        },
        {.retry = {.max_retries = 50, .base = 1ms, .multiplier = 1, .cap = 1ms}});
    running_context mail(database, handlers, book, running_context::options(database, "mail"));
    mail.wait_until_listening();

    shop(database).place(1);
    REQUIRE(book.wait([](const ledger& all) { return all.count("retry") >= 2; }));
    gate.closed = false;

    REQUIRE(book.wait(said("second 1")));
    mail.stop();
    CHECK(std::ranges::count(book.lines, "mail 1") == 1);
    CHECK(std::ranges::count(book.lines, "second 1") == 1);
    CHECK(database.query("select status from core.outbox") == "delivered");
    CHECK(database.query("select count(*) from core.event_handled") == "2");
}

TEST_CASE("a delayed event is handled when its time has come", "[actors]")
{
    const migrated database;
    ledger book;
    running_context mail(database, noting(book, "mail"), book,
                         running_context::options(database, "mail"));
    mail.wait_until_listening();

    shop(database).place(1, {.delay = 700ms});

    REQUIRE(book.wait(said("mail 1")));
    mail.stop();
    CHECK(database.query("select delivered_at >= occurred_at + interval '700 milliseconds' "
                         "from core.outbox") == "t");
}
