#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

#include <list>

using namespace cuebox::schema::test;

TEST_CASE("a claim returns at most as many rows as were asked for, oldest first", "[schema]")
{
    const std::string claim = GENERATE("select t.claim", "select t.turn");
    outbox outbox;
    outbox.ask("select t.publish_many(1, 20)");

    CHECK(outbox.ask(claim + "(0)").empty());
    CHECK(outbox.ask(claim + "(7)") == "1,2,3,4,5,6,7");
    CHECK(outbox.ask(claim + "(3)") == "8,9,10");
    CHECK(outbox.ask("select count(*) from core.outbox where status = 'in_flight'") == "10");
}

TEST_CASE("rows that are due count towards the limit, and come before the ordinary", "[schema]")
{
    const std::string claim = GENERATE("select t.claim", "select t.turn");
    outbox outbox;
    outbox.ask("select t.publish_many(1, 10)");
    outbox.ask(claim + "(3)");
    outbox.ask("select t.settle(n, 'released') from generate_series(1, 3) n");

    CHECK(outbox.ask(claim + "(2)") == "1,2");
    CHECK(outbox.ask(claim + "(4)") == "3,4,5,6");
}

TEST_CASE("a claimed row carries its envelope and its lease", "[schema]")
{
    outbox outbox;
    outbox.ask(R"(
        select core.outbox_publish('a', 'shop', 1, '{"x": 1}', p_target => 'ctx', p_class => 'bulk',
            p_idempotency_key => 'key', p_domain_id => t.id(9), p_event_version => 3,
            p_trace_context => '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
            p_content_class => 'audit', p_event_id => t.id(1)))");

    CHECK(outbox.ask(R"(
        select id = t.id(1), event_id = id, event_type, event_version, source, target,
            domain_id = t.id(9), payload, idempotency_key, left(trace_context, 6), content_class,
            channel, attempts, available_at <= created_at
        from core.outbox_claim('w', t.id(7), 1, 'ctx', '{a}', null, 1, '-infinity',
                               '-infinity'))") ==
          "t|t|a|3|shop|ctx|t|{\"x\": 1}|key|00-4bf|audit|outbox_gen_1_bulk|0|t");
    CHECK(outbox.ask("select status, claimed_by, claim_token = t.id(7), claimed_at is not null, "
                     "attempts, delivered_at is null from core.outbox") == "in_flight|w|t|t|0|t");
}

TEST_CASE("a claim leaves alone what is not for it", "[schema]")
{
    const std::string claim = GENERATE("select t.claim", "select t.turn");
    outbox outbox;
    outbox.ask(R"(
        select t.publish(1), t.publish(2, target => 'ctx');
        select t.publish(3, generation => 2), t.publish(4, target => 'other'), t.publish(5, 'b');
        select t.publish(6, due => '1 hour');
        select t.publish(7), t.publish(8), t.publish(9);
        update core.outbox set deleted_at = now() where id = t.id(7);
        update core.outbox set status = 'delivered' where id = t.id(8);
        update core.outbox set status = 'failed' where id = t.id(9))");

    CHECK(outbox.ask(claim + "()") == "1,2");
    CHECK(outbox.ask(claim + "()").empty());
    CHECK(outbox.ask(claim + "(types => '{}')").empty());
    CHECK(outbox.ask(claim + "(generation => 2)") == "3");
    CHECK(outbox.ask(claim + "(context => 'other')") == "4");
    CHECK(outbox.ask(claim + "(types => '{b,c}')") == "5");
}

TEST_CASE("a delayed row is claimed once its time has come, and known to wait until then",
          "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish(1, due => '1 hour'), t.publish(2, due => '2 hours')");

    CHECK(outbox.ask("select t.claim()").empty());
    CHECK(outbox.ask("select core.outbox_next_due(1) = (select available_at from core.outbox where "
                     "id = t.id(1))") == "t");
    CHECK(outbox.ask("select core.outbox_next_due(2) is null") == "t");

    // An hour goes by.
    outbox.ask("update core.outbox set created_at = created_at - interval '1 hour', "
               "available_at = available_at - interval '1 hour'");
    CHECK(outbox.ask("select t.claim()") == "1");
    CHECK(outbox.ask("select core.outbox_next_due(1) = (select available_at from core.outbox where "
                     "id = t.id(2))") == "t");
}

TEST_CASE("channels narrow a claim down; none means all, the placeholder's too", "[schema]")
{
    const std::string claim = GENERATE("select t.claim", "select t.turn");
    outbox outbox;
    outbox.ask(R"(
        select t.publish(1), t.publish(2, class => 'bulk'), t.publish(3, class => 'urgent');
        insert into core.outbox (id, event_type, source, generation, payload)
            values (t.id(4), 'a', 'tests', 1, '{}'), (t.id(5), 'a', 'tests', 1, '{}'))");

    CHECK(outbox.ask(claim + "(channels => '{outbox_gen_1_bulk,outbox_gen_1_none}')") == "2");
    CHECK(outbox.ask(claim + "(1, channels => '{outbox_default}')") == "4");
    CHECK(outbox.ask(claim + "(channels => '{}')").empty());
    CHECK(outbox.ask(claim + "()") == "1,3,5");
}

TEST_CASE("eight claimers at once take every row, and none of them twice", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 2000); create table claimed (id uuid, by int, size int)");
    std::list<session> claimers;

    for (int n = 0; n < 8; ++n)
        claimers.emplace_back(outbox.conninfo())
            .start("do $$ declare took int; begin loop "
                   "insert into claimed select id, " +
                   std::to_string(n) +
                   ", count(*) over () from core.outbox_claim('w', gen_random_uuid(), 1, 'ctx', "
                   "'{a}', null, 13, '-infinity', '-infinity'); "
                   "get diagnostics took = row_count; commit; exit when took = 0; "
                   "end loop; end $$");
    for (auto& claimer : claimers)
        claimer.finish();

    CHECK(outbox.ask("select count(*), count(distinct id), max(size) from claimed") ==
          "2000|2000|13");
    CHECK(outbox.ask("select distinct status from core.outbox") == "in_flight");
}
