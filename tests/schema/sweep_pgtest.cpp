#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

namespace {

void days_go_by(outbox& outbox, const std::string& days)
{
    const auto ago = " - interval '" + days + " days'";
    outbox.ask("update core.outbox set created_at = created_at" + ago +
               ", available_at = "
               "available_at" +
               ago + ", delivered_at = delivered_at" + ago +
               ", deleted_at = "
               "deleted_at" +
               ago + ", failed_at = failed_at" + ago);
    outbox.ask("update core.event_handled set handled_at = handled_at" + ago +
               ", deleted_at = deleted_at" + ago);
}

}

TEST_CASE("a delivered row is tombstoned, waits, and is deleted", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 3); select t.claim(2)");
    outbox.ask("select t.settle(1), t.settle(2)");

    days_go_by(outbox, "44");
    CHECK(outbox.ask("select * from core.sweep_outbox(1)") == "0|0|");
    days_go_by(outbox, "2");
    CHECK(outbox.ask("select * from core.sweep_outbox(1)") == "2|0|");
    CHECK(outbox.ask("select * from core.sweep_outbox(1)") == "0|0|");
    days_go_by(outbox, "8");
    CHECK(outbox.ask("select * from core.sweep_outbox(2)") == "0|0|");
    CHECK(outbox.ask("select * from core.sweep_outbox(1)") == "0|2|");

    CHECK(outbox.ask("select t.n(id), deleted_at is null from core.outbox") == "3|t");
}

TEST_CASE("the clock of retention starts when a row is delivered, not when it is made", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish(1)");
    days_go_by(outbox, "100");
    outbox.ask("select t.claim(); select t.settle(1)");

    CHECK(outbox.ask("select * from core.sweep_outbox(1)") == "0|0|");
}

TEST_CASE("pending, running and dead rows are never swept, discarded ones in the end", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 4); select t.claim(3)");
    outbox.ask("select t.settle(1, 'failed'), t.settle(2, 'failed')");
    outbox.ask("select core.outbox_discard(t.id(2))");

    days_go_by(outbox, "51");
    CHECK(outbox.ask("select * from core.sweep_outbox(1)") == "0|0|");
    days_go_by(outbox, "2");
    CHECK(outbox.ask("select * from core.sweep_outbox(1)") == "0|1|");
    days_go_by(outbox, "1000");
    CHECK(outbox.ask("select * from core.sweep_outbox(1)") == "0|0|");

    CHECK(outbox.ask("select t.n(id), status from core.outbox order by id") ==
          "1|failed\n3|in_flight\n4|pending");
}

TEST_CASE("a sweep in steps meets every row, also many of one instant", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 30)");
    outbox.ask("update core.outbox set status = 'delivered', delivered_at = now()");
    outbox.ask(
        "update core.outbox set created_at = now() + interval '1 s' * greatest(t.n(id) - 20, "
        "0), available_at = now() - interval '1 s'");
    days_go_by(outbox, "46");

    outbox.ask("do $$ declare r record; at timestamptz := '-infinity'; n int := 0; begin "
               "for i in 1..50 loop select * into r from core.sweep_outbox(1, at, p_rows => 3); "
               "n := n + r.tombstoned; at := r.next_from; exit when at is null; end loop; "
               "assert n = 30 and at is null; end $$");

    CHECK(outbox.ask("select count(*) from core.outbox where deleted_at is not null") == "30");
}

TEST_CASE("dedup records are tombstoned and deleted, in batches", "[schema]")
{
    outbox outbox;
    outbox.ask("insert into core.event_handled (handler_name, idempotency_key, event_id) "
               "select 'ctx.h', n::text, t.id(n) from generate_series(1, 10) n");

    days_go_by(outbox, "59");
    const auto sweep = "select tombstoned, deleted, next_from is null "
                       "from core.sweep_event_handled(p_rows => 6)";
    CHECK(outbox.ask(sweep) == "0|0|t");
    days_go_by(outbox, "2");
    CHECK(outbox.ask(sweep) == "6|0|f");
    CHECK(outbox.ask(sweep) == "4|0|t");
    days_go_by(outbox, "8");
    CHECK(outbox.ask(sweep) == "0|6|f");
    CHECK(outbox.ask(sweep) == "0|4|t");
    CHECK(outbox.ask("select count(*) from core.event_handled") == "0");
}

TEST_CASE("a sweep of dedup records goes on where it was, and reads no page twice",
          "[schema][alone]")
{
    outbox outbox;
    outbox.ask("insert into core.event_handled (handler_name, idempotency_key, event_id, "
               "handled_at) select 'ctx.h', lpad(n::text, 400, 'k'), t.id(n), now() - interval "
               "'61 days' from generate_series(1, 30000) n; "
               "insert into core.event_handled (handler_name, idempotency_key, event_id) "
               "select 'ctx.young', n::text, t.id(n) from generate_series(1, 10) n");
    outbox.ask("create function t.read() returns int language sql as $$ select heap_blks_read + "
               "heap_blks_hit from pg_statio_user_tables where relname = 'event_handled' $$");
    outbox.ask("vacuum core.event_handled");
    const auto size = std::stol(outbox.ask("select pg_relation_size('core.event_handled') / 8192"));
    REQUIRE(size > 1500);

    // In batches of 500, and by stretches of a thousand pages where there is nothing to do.
    const auto pass = R"(do $$ declare r record; at tid := '(0,0)'; begin
        for i in 1..200 loop
            select * into r from core.sweep_event_handled(p_rows => 500, p_from => at);
            commit;
            update t.passes set calls = calls + 1, tombstoned = tombstoned + r.tombstoned;
            at := r.next_from;
            exit when at is null;
        end loop; assert at is null; end $$)";
    outbox.ask("create table t.passes as select 0 as calls, 0 as tombstoned");
    outbox.ask(pass);
    CHECK(outbox.ask("select tombstoned, calls >= 60 from t.passes") == "30000|t");
    CHECK(outbox.ask("select count(*) from core.event_handled where deleted_at is null") == "10");

    outbox.ask("update t.passes set calls = 0, tombstoned = 0");
    outbox.ask("vacuum core.event_handled");
    outbox.ask("select pg_stat_force_next_flush()");
    const auto before = std::stol(outbox.ask("select t.read()"));
    outbox.ask(pass);
    outbox.ask("select pg_stat_force_next_flush()");
    const auto pages =
        std::stol(outbox.ask("select pg_relation_size('core.event_handled') / 8192"));
    CHECK(outbox.ask("select tombstoned, calls between 2 and 10 from t.passes") == "0|t");
    CHECK(std::stol(outbox.ask("select t.read()")) - before < pages + pages / 2);
}

TEST_CASE("a dedup record counts until it is deleted, tombstoned or not", "[schema]")
{
    outbox outbox;
    const auto remember = "with i as (insert into core.event_handled (handler_name, "
                          "idempotency_key, event_id) values ('ctx.h', 'k', t.id(1)) "
                          "on conflict do nothing returning 1) select count(*) from i";
    CHECK(outbox.ask(remember) == "1");
    days_go_by(outbox, "61");
    outbox.ask("select core.sweep_event_handled()");

    CHECK(outbox.ask(remember) == "0");
    days_go_by(outbox, "8");
    outbox.ask("select core.sweep_event_handled()");
    CHECK(outbox.ask(remember) == "1");
}

TEST_CASE("the generations that have rows are listed", "[schema]")
{
    outbox outbox;
    CHECK(outbox.ask("select core.outbox_generations()").empty());

    outbox.ask("select t.publish_many(1, 5), t.publish(6, generation => 7), "
               "t.publish(8, generation => 40)");

    CHECK(outbox.ask("select core.outbox_generations()") == "1\n7\n40");
}
