#include "operations/desk.hpp"

#include <cuebox/event/encode.hpp>
#include <cuebox/operations/event_detail.hpp>
#include <cuebox/operations/recovery.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::operations;
using namespace cuebox::operations::test;
using namespace std::chrono_literals;

namespace {

dlq_page list(const desk& desk, const dlq_filter& filter, const dlq_paging& paging)
{
    return desk.run([&](pg::connection& link) { return list_dlq_events(link, filter, paging); });
}

std::int64_t count(const desk& desk, const dlq_filter& filter)
{
    return desk.run([&](pg::connection& link) { return count_dlq_events(link, filter); });
}

// The numbers of a list, page by page.
std::string walk(const desk& desk, dlq_paging paging)
{
    std::string numbers;
    for (;;) {
        const auto page = list(desk, {}, paging);
        for (const dlq_event& each : page.events)
            numbers += std::to_string(each.id.data[15] % 16);
        if (!page.next)
            return numbers;
        numbers += '|';
        paging.after = *page.next;
    }
}

}

TEST_CASE("dead letters are listed page by page, the last failed first", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 5) n; select t.publish(6)");

    CHECK(walk(desk, {.limit = 2}) == "54|32|1");
    CHECK(walk(desk, {.limit = 3, .oldest_first = true}) == "123|45");
    CHECK(walk(desk, {.limit = 5}) == "54321");
}

TEST_CASE("pages follow each other where many failed at the same moment", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 7) n; "
               "update core.outbox set failed_at = '2026-01-01'");

    CHECK(walk(desk, {.limit = 3}) == "765|432|1");
}

TEST_CASE("a filter finds those that all of it holds for", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(1), t.dead(2, 'Refused: 100% sure', 'billing.totals'), "
               "t.dead(3, 'worker died: w ended while it handled this event', null)");
    desk.query("select t.publish(4, 'order.paid', 'mail', 'bank'); select t.fail(4)");
    desk.query("update core.outbox set generation = 2, domain_id = t.id(77) where id = t.id(4)");

    CHECK(count(desk, {}) == 4);
    CHECK(count(desk, {.domain_id = row(77)}) == 1);
    CHECK(count(desk, {.domain_id = row(78)}) == 0);
    CHECK(count(desk, {.event_type = "order.paid"}) == 1);
    CHECK(count(desk, {.source = "shop"}) == 3);
    CHECK(count(desk, {.target = "mail"}) == 1);
    CHECK(count(desk, {.handler = "billing.totals"}) == 1);
    CHECK(count(desk, {.error = "NO ANSWER"}) == 2);
    CHECK(count(desk, {.error = "100%"}) == 1);
    CHECK(count(desk, {.error_class = "worker died"}) == 1);
    CHECK(count(desk, {.generation = 2}) == 1);
    CHECK(count(desk, {.source = "shop", .handler = "billing.invoice"}) == 1);
    CHECK(count(desk, {.source = "nobody"}) == 0);
}

TEST_CASE("ages are counted from the failure", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(1), t.dead(2); update core.outbox "
               "set failed_at = now() - interval '2 hours' where id = t.id(1)");

    CHECK(count(desk, {.older_than = 1h}) == 1);
    CHECK(count(desk, {.newer_than = 1h}) == 1);
    CHECK(count(desk, {.older_than = 1h, .newer_than = 3h}) == 1);
    CHECK(count(desk, {.older_than = 3h}) == 0);
    CHECK(list(desk, {.older_than = 1h}, {}).events.at(0).id == row(1));
}

TEST_CASE("dead letters are counted by error, by type and by handler", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(1), t.dead(2), t.dead(3, 'Refused: no', 'billing.totals')");
    const auto group = [&](dlq_grouping by) {
        std::string text;
        for (const dlq_group& each :
             desk.run([&](pg::connection& link) { return group_dlq_events(link, {}, by); }))
            text += std::to_string(each.events) + " " + each.error_class.value_or("") +
                    each.event_type.value_or("") + each.target.value_or("") +
                    each.handler.value_or("") + "\n";
        return text;
    };

    CHECK(group(dlq_grouping::error) == "2 Timeout\n1 Refused\n");
    CHECK(group(dlq_grouping::type) == "3 order.placedbilling\n");
    CHECK(group(dlq_grouping::handler) == "2 billing.invoice\n1 billing.totals\n");
}

TEST_CASE("all that is known of an event: its cycles, who handled it, who did what", "[operations]")
{
    const desk desk;
    desk.query(
        "select t.dead(1, 'Timeout: first'); "
        "select core.outbox_replay(t.id(1), 2, 'ada'); select t.fail(1, 'Refused: second'); "
        "insert into core.event_handled (handler_name, idempotency_key, event_id) "
        "values ('billing.totals', t.id(1)::text, t.id(1)), ('billing.a', 'other', t.id(9))");

    const auto found = desk.run([](pg::connection& link) { return show_event(link, row(1)); });

    REQUIRE(found);
    CHECK(found->status == "failed");
    CHECK(found->last_error == "Refused: second");
    CHECK(found->handler == "billing.invoice");
    CHECK(found->worker == "w");
    CHECK(found->generation == 2);
    CHECK(found->payload.text == R"({"number": 1})");
    REQUIRE(found->history.size() == 1);
    CHECK(found->history[0].cycle == 1);
    CHECK(found->history[0].last_error == "Timeout: first");
    CHECK(found->history[0].handler == "billing.invoice");
    CHECK(found->history[0].replayed_by == "ada");
    CHECK(found->history[0].failed_at <= found->history[0].replayed_at);
    REQUIRE(found->handled.size() == 1);
    CHECK(found->handled[0].handler == "billing.totals");
    REQUIRE(found->actions.size() == 1);
    CHECK(found->actions[0].action == "replay");
    CHECK(found->actions[0].actor == "ada");
    CHECK(event::encode(*found).find(R"("payload":{"number": 1})") != std::string::npos);
}

TEST_CASE("what the outbox does not have is not found", "[operations]")
{
    const desk desk;

    CHECK_FALSE(desk.run([](pg::connection& link) { return show_event(link, row(1)); }));
}

TEST_CASE("a place that no page ended at is refused", "[operations]")
{
    const desk desk;
    const auto refused = [&](const std::string& after) {
        return desk.refusal(
            [after](pg::connection& link) { return list_dlq_events(link, {}, {.after = after}); });
    };

    CHECK(refused("7").starts_with("\"7\" is no place in a list of dead letters; "));
    CHECK(refused("2026-01-01T00:00:00Z/x").find("is no place") != std::string::npos);
}
