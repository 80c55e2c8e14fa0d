#include "operations/desk.hpp"
#include "support/eventually.hpp"

#include <cuebox/operations/recovery.hpp>
#include <cuebox/outbox/retention.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::operations;
using namespace cuebox::operations::test;

namespace {

std::string why_not(const desk& desk, const replay_request& request)
{
    return desk.refusal([&](pg::connection& link) { return replay_dlq_event(link, request); });
}

bulk_result replay(const desk& desk, const dlq_filter& filter, const replay_options& how)
{
    return desk.run([&](pg::connection& link) { return replay_dlq_events(link, filter, how); });
}

bool says(const std::string& text, std::string_view part)
{
    return text.find(part) != text.npos;
}

}

TEST_CASE("a replay goes where somebody listens, and is on record", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(1); select core.allocate_generation('third'), "
               "core.retire_generation(1), core.retire_generation(3)");

    const auto done = desk.run([](pg::connection& link) {
        return replay_dlq_event(link, {.id = row(1), .actor = "ada"});
    });

    CHECK(done.generation == 2);
    CHECK(desk.query("select status, generation, last_handler, failure_history->0->>'handler', "
                     "failure_history->0->>'replayed_by' from core.outbox") ==
          "pending|2||billing.invoice|ada");
    CHECK(desk.query("select actor, database_user = session_user, row_id = t.id(1), event_type, "
                     "detail->>'to', detail->>'cycle' from core.operator_actions "
                     "where action = 'replay'") == "ada|t|t|order.placed|2|1");
}

TEST_CASE("what cannot be replayed is named, with what to do next", "[operations]")
{
    const desk desk;
    desk.query("select t.publish(1), t.dead(2), t.dead(3), core.outbox_discard(t.id(2)); "
               "update core.outbox set created_at = now() - interval '61 days' where id = t.id(3)");

    CHECK(says(why_not(desk, {.id = row(1)}), "is pending, only failed events can be replayed; "));
    CHECK(says(why_not(desk, {.id = row(2)}), "and cannot be replayed; Publish it again"));
    CHECK(says(why_not(desk, {.id = row(3)}), "before the dedup horizon of 60 days"));
    CHECK(says(why_not(desk, {.id = row(3)}), "--force"));
    CHECK(says(why_not(desk, {.id = row(9)}), "in the outbox; List dead letters with: cuebox dlq"));
    CHECK(says(why_not(desk, {.id = row(3), .generation = 9}), "generation 9 was never allocated"));
    CHECK(why_not(desk, {.id = row(3), .force = true}) == "not refused");
    CHECK(desk.query("select count(*) from core.operator_actions where action = 'replay' "
                     "and (detail->>'forced')::boolean") == "1");
}

TEST_CASE("the dedup horizon is what the database keeps its records for", "[operations]")
{
    const desk desk;
    desk.query("update core.retention_policies set active = '90 days' "
               "where subject = 'event_handled'; select t.dead(1); "
               "update core.outbox set created_at = now() - interval '61 days'");

    CHECK(why_not(desk, {.id = row(1)}) == "not refused");
}

TEST_CASE("where nobody listens for a dead letter, a replay has to be told where to",
          "[operations]")
{
    const desk desk;
    desk.query("select t.dead(1), t.dead(2); update core.deployments set status = 'draining'; "
               "select core.subscribe('billing', 5, '{x}')");

    CHECK(why_not(desk, {.id = row(1)}) ==
          "no context listens for order.placed with target billing at any generation, so event "
          "00000000-0000-7000-8000-000000000001 would be stranded; Start a worker that has a "
          "handler for it, or name an allocated generation with --to");
    CHECK(why_not(desk, {.id = row(1), .generation = 5}) == "not refused");
    desk.query("select core.subscribe('billing', 6, '{order.placed}')");
    CHECK(why_not(desk, {.id = row(2)}) == "not refused");
    CHECK(desk.query("select generation from core.outbox order by id") == "5\n6");
}

TEST_CASE("a bulk replay takes what matches, batch by batch, the oldest first", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 25) n; "
               "select t.dead(26, 'Refused: no'); select t.publish(27)");
    std::vector<std::int64_t> steps;
    replay_options how{.bulk = {.actor = "ada", .batch = 10}, .generation = 1};
    how.bulk.progress = [&](const bulk_progress& now) {
        steps.push_back(now.done);
        CHECK(now.total == 25);
    };

    const auto done = replay(desk, {.error_class = "Timeout"}, how);

    CHECK(done.done == 25);
    CHECK(done.refused == 0);
    CHECK(done.generations == std::map<std::int64_t, std::int64_t>{{1, 25}});
    CHECK(steps == std::vector<std::int64_t>{10, 20, 25});
    CHECK(desk.query("select status, count(*) from core.outbox group by 1 order by 1") ==
          "failed|1\npending|26");
    CHECK(desk.query("select count(*), count(distinct row_id), min(actor) "
                     "from core.operator_actions where action = 'replay'") == "25|25|ada");
}

TEST_CASE("what fails again during a bulk replay is not replayed a second time", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 3) n");
    replay_options how{.bulk = {.batch = 1}};
    how.bulk.progress = [&](const bulk_progress& now) {
        desk.query("select t.fail(" + std::to_string(now.done) + ")");
    };

    const auto done = replay(desk, {}, how);

    CHECK(done.done == 3);
    CHECK(desk.query("select distinct jsonb_array_length(failure_history), status "
                     "from core.outbox") == "1|failed");
}

TEST_CASE("a bulk replay leaves what it may not take, and goes past it", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 6) n; update core.outbox "
               "set created_at = now() - interval '70 days' where id <= t.id(4)");

    const auto done = replay(desk, {}, {.bulk = {.batch = 2}});

    CHECK(done.done == 2);
    CHECK(done.refused == 4);
    REQUIRE(done.refusals.size() == 4);
    CHECK(says(done.refusals[0].reason, "before the dedup horizon"));
    CHECK(desk.query("select count(*) from core.dead_letters") == "4");
}

TEST_CASE("a rate spreads a bulk replay over steps of a quarter of a second", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 20) n");
    std::vector<std::int64_t> steps;
    replay_options how{.bulk = {.rate = 40}};
    how.bulk.progress = [&](const bulk_progress& now) { steps.push_back(now.done); };

    CHECK(replay(desk, {}, how).done == 20);
    CHECK(steps == std::vector<std::int64_t>{10, 20});
}

TEST_CASE("ids are replayed as they are given, each with its answer", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(1), t.dead(2), t.publish(3)");
    const std::vector<event::uuid> ids{row(2), row(3), row(9), row(2)};

    const auto done =
        desk.run([&](pg::connection& link) { return replay_dlq_events(link, ids, {}); });

    CHECK(done.done == 1);
    CHECK(done.refused == 2);
    CHECK(desk.query("select status from core.outbox order by id") == "failed\npending\npending");
}

TEST_CASE("discards are as many as asked for, and on record", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 5) n");

    desk.run([](pg::connection& link) { return discard_dlq_event(link, row(5), "ada"); });
    const auto done = desk.run([](pg::connection& link) {
        return discard_dlq_events(link, dlq_filter{}, {.actor = "ada", .batch = 2, .limit = 3});
    });

    CHECK(done.done == 3);
    CHECK(desk.query("select count(*) from core.dead_letters") == "1");
    CHECK(desk.query("select count(*) from core.operator_actions "
                     "where action = 'discard' and actor = 'ada'") == "4");
    CHECK(says(
        desk.refusal([](pg::connection& link) { return discard_dlq_event(link, row(5), "ada"); }),
        "was discarded already"));
}

namespace {

// Row 1 was created and failed so many days ago, and one of its handlers had succeeded.
void fail_halfway(const desk& desk, const std::string& days)
{
    desk.query("select t.dead(1); insert into core.event_handled (handler_name, idempotency_key, "
               "event_id, handled_at) values ('billing.totals', t.id(1)::text, t.id(1), now() - "
               "interval '" +
               days + " days'); update core.outbox set created_at = now() - interval '" + days +
               " days' - interval '1 minute'");
}

outbox::swept sweep_by(const desk& desk, const outbox::retention& rules)
{
    return desk.run([&](pg::connection& link) { return outbox::sweep(link, rules); });
}

}

TEST_CASE("what dedup records were swept for is not replayed, by whatever rules they went",
          "[operations]")
{
    const desk desk;
    fail_halfway(desk, "30");
    const outbox::retention shorter{.outbox_active = std::chrono::days(5),
                                    .outbox_grace = {},
                                    .handled_active = std::chrono::days(10),
                                    .handled_grace = {}};

    // Tombstoned, then gone; the registry says 60 days all the time.
    for (const auto* left : {"1", "0"}) {
        CHECK(sweep_by(desk, shorter).ran);
        CHECK(desk.query("select count(*) from core.event_handled") == left);
        CHECK(says(why_not(desk, {.id = row(1)}), "have been swept: handlers that succeeded then"));
        CHECK(says(why_not(desk, {.id = row(1)}), "--force"));
    }
    CHECK(replay(desk, {}, {}).refused == 1);
    // What was created since is not meant.
    desk.query("select t.dead(2)");
    CHECK(why_not(desk, {.id = row(2)}) == "not refused");
    CHECK(why_not(desk, {.id = row(1), .force = true}) == "not refused");
    CHECK(desk.query("select (detail->>'forced')::boolean, row_id = t.id(1) from "
                     "core.operator_actions where action = 'replay' order by id") == "f|f\nt|t");
}

TEST_CASE("a registry that was shortened for a while is not forgotten", "[operations]")
{
    const desk desk;
    fail_halfway(desk, "30");
    const auto set = [&](const std::string& outbox, const std::string& handled) {
        desk.query("begin; update core.retention_policies set active = '" + outbox +
                   "', grace = '0' where subject = 'outbox_row'; update core.retention_policies "
                   "set active = '" +
                   handled + "', grace = '0' where subject = 'event_handled'; commit");
    };

    set("5 days", "10 days");
    const outbox::swept done =
        desk.run([](pg::connection& link) { return outbox::sweep(link, std::nullopt); });
    set("45 days", "60 days");

    CHECK(done.tombstoned == 1);
    CHECK(says(why_not(desk, {.id = row(1)}), "have been swept"));
}

TEST_CASE("a pinned filter means the same dead letters however late it is used", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(1), t.dead(2)");
    const dlq_filter recent{.newer_than = std::chrono::milliseconds(300)};
    const dlq_filter old{.older_than = std::chrono::microseconds(0)};
    const auto count = [&](const dlq_filter& which) {
        return desk.run([&](pg::connection& link) { return count_dlq_events(link, which); });
    };
    const auto pinned = [&](const dlq_filter& which) {
        return desk.run([&](pg::connection& link) { return pin(link, which); });
    };
    desk.query("update core.outbox set failed_at = clock_timestamp()");
    const dlq_filter those = pinned(recent);
    const dlq_filter until_now = pinned(old);

    // Time goes by, and others fail.
    CHECK(cuebox::test::eventually([&] { return count(recent) == 0; }));
    desk.query("select t.dead(3)");

    CHECK(count(old) == 3);
    CHECK(count(until_now) == 2);
    CHECK(count(those) == 2);
    CHECK(replay(desk, those, {.bulk = {.batch = 1, .counted = 2}}).done == 2);
    CHECK(desk.query("select id = t.id(3) from core.dead_letters") == "t");
}

TEST_CASE("a limit is of what is done: those that are refused do not use it up", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(n) from generate_series(1, 8) n; update core.outbox "
               "set created_at = now() - interval '70 days' where id <= t.id(4)");

    const auto by_filter = replay(desk, {}, {.bulk = {.limit = 2}});
    const std::vector<event::uuid> ids{row(1), row(2), row(7), row(8)};
    const auto by_id = desk.run(
        [&](pg::connection& link) { return replay_dlq_events(link, ids, {.bulk = {.limit = 1}}); });

    CHECK(by_filter.done == 2);
    CHECK(by_filter.refused == 4);
    CHECK(by_id.done == 1);
    CHECK(desk.query("select string_agg(right(id::text, 1), '' order by id) "
                     "from core.outbox where status = 'pending'") == "567");
}

TEST_CASE("a rate that is next to nothing is refused, not taken for none", "[operations]")
{
    const desk desk;
    desk.query("select t.dead(1)");
    const auto at = [&](double rate) {
        return desk.refusal([&](pg::connection& link) {
            return replay_dlq_events(link, dlq_filter{}, {.bulk = {.rate = rate}});
        });
    };

    CHECK(says(at(1e-30), "a rate is a number of rows a second, 0.001 or more"));
    CHECK(desk.query("select count(*) from core.dead_letters") == "1");
    CHECK(at(0.001) == "not refused");
}

TEST_CASE("what failed of a broadcast is found by the event's id", "[operations]")
{
    const desk desk;
    desk.query("select core.subscribe('mail', 1, '{order.placed}'), t.publish(1, target => null), "
               "t.dead(2)");
    desk.query("select core.outbox_expand(1, '{order.placed}', 10, '-infinity', '-infinity')");
    desk.query("update core.outbox set status = 'failed', failed_at = now() "
               "where event_id = t.id(1) and target = 'mail'");

    CHECK(says(why_not(desk, {.id = row(1)}), "is delivered, only failed events can be replayed; "
                                              "Copies of it have failed, see which: cuebox dlq "
                                              "list --event "));
    const auto found = desk.run(
        [](pg::connection& link) { return list_dlq_events(link, {.event_id = row(1)}, {}); });
    REQUIRE(found.events.size() == 1);
    CHECK(found.events[0].target == "mail");
    CHECK(replay(desk, {.event_id = row(1)}, {}).done == 1);
    CHECK(desk.query("select count(*) from core.dead_letters") == "1");
}
