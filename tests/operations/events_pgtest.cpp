#include "operations/desk.hpp"
#include "support/session.hpp"

#include <cuebox/event/encode.hpp>
#include <cuebox/operations/event_detail.hpp>
#include <cuebox/operations/events.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::operations;
using namespace cuebox::operations::test;
using namespace std::chrono_literals;

namespace {

event_page read(const desk& desk, const event_filter& filter, const event_paging& paging = {})
{
    return desk.run([&](pg::connection& link) { return read_events(link, filter, paging); });
}

std::string numbers(const event_page& page)
{
    std::string text;
    for (const listed_event& each : page.events)
        text += std::to_string(each.id.data[15] % 16);
    return text;
}

// Page by page.
std::string walk(const desk& desk, const event_filter& filter, event_paging paging)
{
    std::string text;
    for (;;) {
        const auto page = read(desk, filter, paging);
        text += numbers(page);
        if (!page.next)
            return text;
        text += page.looked_until ? '~' : '|';
        paging.after = *page.next;
    }
}

}

TEST_CASE("events are listed page by page, the oldest first", "[operations]")
{
    const desk desk;
    desk.query("select t.publish(n) from generate_series(1, 5) n; select t.dead(6)");

    CHECK(walk(desk, {}, {.limit = 2}) == "12|34|5");
    CHECK(walk(desk, {}, {.limit = 5}) == "12345");
    CHECK(walk(desk, {.status = event_status::failed}, {}) == "6");
    CHECK(walk(desk, {.status = event_status::in_flight}, {}).empty());
}

TEST_CASE("a page that looked at enough has a next one, and all of them have all events",
          "[operations]")
{
    const desk desk;
    desk.query("select t.publish(n, case n % 4 when 0 then 'order.paid' else 'order.placed' end) "
               "from generate_series(1, 9) n");

    CHECK(walk(desk, {.event_type = "order.paid"}, {.limit = 5, .rows_max = 3}) == "4~8");
}

TEST_CASE("ages of events are counted from their publication", "[operations]")
{
    const desk desk;
    desk.query("select t.publish(1), t.publish(2); update core.outbox set created_at = now() - "
               "interval '2 hours', available_at = now() - interval '2 hours' where id = t.id(1)");

    CHECK(numbers(read(desk, {.older_than = 1h})) == "1");
    CHECK(numbers(read(desk, {.newer_than = 1h})) == "2");
    CHECK(numbers(read(desk, {.older_than = 1h, .newer_than = 3h})) == "1");
    CHECK(numbers(read(desk, {.older_than = 3h})).empty());
}

TEST_CASE("a list of events has no payloads", "[operations]")
{
    const desk desk;
    desk.query("select t.publish(1)");

    const auto page = read(desk, {});

    REQUIRE(page.events.size() == 1);
    CHECK(page.events[0].event_id == row(1));
    CHECK(page.events[0].target == "billing");
    CHECK(page.events[0].status == "pending");
    CHECK(event::encode(page.events[0]).find("payload") == std::string::npos);
}

TEST_CASE("a list of events that cannot be is refused in words", "[operations]")
{
    const desk desk;
    const auto refusal = [&](const event_filter& filter, const event_paging& paging) {
        return desk.refusal(
            [&](pg::connection& link) { return read_events(link, filter, paging); });
    };

    CHECK(refusal({}, {.limit = 0}) ==
          "a page has 1 to 10000 events, not 0; read more of them page by page");
    CHECK(refusal({}, {.after = "there"}) == "\"there\" is no place in a list of events; give what "
                                             "the page before named as the next");
    CHECK(refusal({.status = event_status::failed, .due = true}, {}) ==
          "an event that is failed is neither due nor waiting; ask for pending events, or leave "
          "that out");
}

TEST_CASE("a list that the server takes too long for says how to ask for less", "[operations]")
{
    const desk desk;
    desk.query("select t.publish(1)");
    cuebox::test::session holder{desk.conninfo()};
    holder.ask("begin; lock core.outbox"); // As long as any scan.

    const auto said = desk.refusal(
        [](pg::connection& link) { return read_events(link, {}, {.time_max = 50ms}); });

    CHECK(said ==
          "the list was not found within 50 ms; ask for less: one generation (--generation), "
          "or new events (--newer-than)");
    holder.ask("commit");
}

TEST_CASE("an event is shown in any state, with who holds it and the other copies", "[operations]")
{
    const desk desk;
    desk.query("select core.subscribe('mail', 1, '{order.placed}'), t.publish(1, target => null)");
    desk.query("select core.outbox_expand(1, '{order.placed}', 10, '-infinity', '-infinity')");
    desk.query("select t.publish(2); select core.outbox_claim('w', gen_random_uuid(), 1, 'mail', "
               "'{order.placed}', null, 10, '-infinity', '-infinity')");
    const auto show = [&](event::uuid id) {
        return desk.run([id](pg::connection& link) { return show_event(link, id); });
    };

    const auto broadcast = show(row(1));
    const auto plain = show(row(2));

    REQUIRE(broadcast);
    CHECK(broadcast->status == "delivered");
    REQUIRE(broadcast->copies.size() == 2);
    CHECK(broadcast->copies[0].target == "billing");
    CHECK(broadcast->copies[0].status == "pending");
    CHECK(broadcast->copies[1].target == "mail");
    CHECK(broadcast->copies[1].status == "in_flight");
    const auto copy = show(broadcast->copies[1].id);
    REQUIRE(copy);
    CHECK(copy->event_id == row(1));
    CHECK(copy->worker == "w");
    CHECK(copy->claimed_at);
    REQUIRE(copy->copies.size() == 2);
    CHECK(copy->copies[0].id == row(1));
    CHECK(copy->copies[1].target == "billing");
    REQUIRE(plain);
    CHECK(plain->status == "pending");
    CHECK(plain->copies.empty());
}
