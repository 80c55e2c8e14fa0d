#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

namespace {

// An outbox with a dead letter, row 1, of class 'bulk'.
class failed : public outbox
{
public:
    failed()
    {
        ask("select core.subscribe('ctx', g, '{a}') from unnest('{1,2,10}'::bigint[]) g");
        ask("select t.publish(1, class => 'bulk'); select t.claim()");
        fail("first: x");
    }
    void fail(const std::string& error)
    {
        ask("select t.settle(1, 'failed', error => '" + error + "')");
    }
};

}

TEST_CASE("each replay adds a cycle to the history and starts a new one", "[schema]")
{
    failed outbox;
    outbox.ask("update core.outbox set attempts = 4");

    outbox.ask("select core.outbox_replay(t.id(1), 2, 'ada')");
    CHECK(outbox.ask("select status, attempts, last_error is null, first_failed_at is null, "
                     "failed_at is null, claimed_by is null, generation, channel, "
                     "idempotency_key = id::text from core.outbox") ==
          "pending|0|t|t|t|t|2|outbox_gen_2_bulk|t");
    CHECK(outbox.ask("select t.claim(generation => 2)") == "1");
    outbox.fail("second: y");
    outbox.ask("select core.outbox_replay(t.id(1), 10)");

    CHECK(outbox.ask("select channel from core.outbox") == "outbox_gen_10_bulk");
    CHECK(outbox.ask("select e->'cycle', e->'attempts', e->>'last_error', e->>'replayed_by', "
                     "e->>'failed_at' is not null, e->>'replayed_at' is not null "
                     "from core.outbox, jsonb_array_elements(failure_history) e") ==
          "1|4|first: x|ada|t|t\n2|0|second: y||t|t");
}

TEST_CASE("a replay is heard on the channel of the new generation", "[schema]")
{
    failed outbox;
    auto listener = outbox.open();
    auto other = outbox.open();
    listener.ask("listen outbox_gen_2_bulk");
    other.ask("listen outbox_gen_1_bulk");

    outbox.ask("select core.outbox_replay(t.id(1), 2)");

    CHECK(says(listener.ask("select 1"), "Asynchronous notification \"outbox_gen_2_bulk\""));
    CHECK(other.ask("select 1") == "1");
}

TEST_CASE("the placeholder's channel becomes a generation's when a row is replayed", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.subscribe('ctx', 2, '{a}')");
    outbox.ask("insert into core.outbox (id, event_type, source, generation, payload, channel) "
               "values (t.id(1), 'a', 'tests', 1, '{}', 'outbox_default'), "
               "(t.id(2), 'a', 'tests', 1, '{}', 'somebodys_own')");
    outbox.ask("select t.claim(); select t.settle(1, 'failed'), t.settle(2, 'failed')");

    outbox.ask("select core.outbox_replay(t.id(1), 2), core.outbox_replay(t.id(2), 2)");

    CHECK(outbox.ask("select channel from core.outbox order by id") ==
          "outbox_gen_2\nsomebodys_own");
}

TEST_CASE("past the dedup horizon a replay must be forced", "[schema]")
{
    failed outbox;
    outbox.ask("select t.age('61 days')");

    const auto refused = outbox.refusal("select core.outbox_replay(t.id(1), 2)");
    CHECK(says(refused, "before the dedup horizon of 60 days"));
    CHECK(says(refused, "Pass p_force => true"));
    CHECK(says(outbox.refusal("select core.outbox_replay(t.id(1), 2, p_force => null)"),
               "dedup horizon"));
    CHECK(outbox.ask("select t.status(1)") == "failed");
    outbox.ask("select core.outbox_replay(t.id(1), 2, p_force => true)");
    CHECK(outbox.ask("select t.status(1)") == "pending");
}

TEST_CASE("a replay needs a generation that there can be, and a dead letter", "[schema]")
{
    failed outbox;
    outbox.ask("select t.publish(2), t.publish(3); "
               "update core.outbox set status = 'delivered' where id = t.id(3)");

    CHECK(says(outbox.refusal("select core.outbox_replay(t.id(1), 0)"), "to generation 0"));
    CHECK(says(outbox.refusal("select core.outbox_replay(t.id(2), 1)"), "is pending, only failed"));
    CHECK(says(outbox.refusal("select core.outbox_replay(t.id(3), 1)"), "is delivered, only"));
    CHECK(says(outbox.refusal("select core.outbox_replay(t.id(9), 1)"), "no event"));
}

TEST_CASE("two operators who replay the same dead letter replay it once", "[schema]")
{
    failed outbox;
    auto other = outbox.open();
    outbox.ask("begin; select core.outbox_replay(t.id(1), 2)");
    other.start("select core.outbox_replay(t.id(1), 2)");
    outbox.ask("commit");

    CHECK(says(other.refused(), "is pending, only failed events can be replayed"));
    CHECK(outbox.ask("select jsonb_array_length(failure_history) from core.outbox") == "1");
}

TEST_CASE("an operator never waits for rows in flight, so not in a circle with a settle either",
          "[schema]")
{
    outbox outbox;
    outbox.ask("select core.subscribe('ctx', 1, '{a}'); select t.publish_many(1, 3); "
               "select t.claim(); select t.settle(2, 'failed')");
    auto worker = outbox.open();
    auto ada = outbox.open();
    ada.ask("set lock_timeout = '5s'");
    worker.ask("begin; select t.settle(3)");

    CHECK(ada.ask("select t.n(id), result from core.outbox_replay_many(t.ids(1, 2, 3), 1) "
                  "order by 1") == "1|refused\n2|replayed\n3|refused");
    CHECK(ada.ask("select t.n(id), result from core.outbox_discard_many(t.ids(1, 3)) "
                  "order by 1") == "1|refused\n3|refused");

    CHECK(worker.ask("select t.settle(1)").empty());
    worker.ask("commit");
    CHECK(outbox.ask("select t.status(1), t.status(2), t.status(3)") ==
          "delivered|pending|delivered");
}

TEST_CASE("of many dead letters an operator leaves those that somebody else is busy with",
          "[schema]")
{
    outbox outbox;
    outbox.ask("select core.subscribe('ctx', 1, '{a}'); select t.publish_many(1, 2); "
               "select t.claim(); select t.settle(1, 'failed'), t.settle(2, 'failed')");
    auto bob = outbox.open();
    auto ada = outbox.open();
    ada.ask("set lock_timeout = '5s'");
    bob.ask("begin; select core.outbox_discard(t.id(1))");

    const auto replayed = ada.ask("select t.n(id), result, reason, hint "
                                  "from core.outbox_replay_many(t.ids(1, 2), 1) order by 1");
    const auto discarded = ada.ask("select t.n(id), result, reason "
                                   "from core.outbox_discard_many(t.ids(1, 2)) order by 1");
    bob.ask("rollback");

    CHECK(says(replayed, "1|refused|event 00000000-0000-7000-8000-000000000001 is being changed by "
                         "somebody else, or was just now|Try again in a moment."));
    CHECK(says(replayed, "2|replayed"));
    CHECK(says(discarded, "1|refused|event 00000000-0000-7000-8000-000000000001 is being changed "
                          "by somebody else, or was just now"));
    CHECK(outbox.ask("select t.status(1), t.status(2)") == "failed|pending");
}

TEST_CASE("a discarded dead letter is out of sight, with a last entry in its history", "[schema]")
{
    failed outbox;

    outbox.ask("select core.outbox_discard(t.id(1), 'ada')");

    CHECK(outbox.ask("select status, deleted_at is not null, failure_history->0->>'discarded_by', "
                     "failure_history->0->>'last_error' from core.outbox") ==
          "failed|t|ada|first: x");
    CHECK(outbox.ask("select count(*) from core.metrics_dead_letters") == "0");
    CHECK(says(outbox.refusal("select core.outbox_replay(t.id(1), 2)"), "was discarded"));
    CHECK(says(outbox.refusal("select core.outbox_discard(t.id(1))"), "was discarded already"));
    CHECK(says(outbox.refusal("select core.outbox_discard(t.id(9))"), "no event"));
    outbox.ask("select t.publish(2)");
    CHECK(says(outbox.refusal("select core.outbox_discard(t.id(2))"), "is pending, only failed"));
}

TEST_CASE("a replay goes only where somebody is", "[schema]")
{
    failed outbox;
    outbox.ask("delete from core.subscriptions where generation > 1; "
               "select core.allocate_generation('one'), core.allocate_generation('two'), "
               "core.allocate_generation('three')");
    CHECK(outbox.ask("select core.retire_generation(2)") == "retired");

    CHECK(says(outbox.refusal("select core.outbox_replay(t.id(1), 2)"), "generation 2 is retired"));
    CHECK(says(outbox.refusal("select core.outbox_replay(t.id(1), 9)"),
               "generation 9 was never allocated and nobody listens at it"));
    CHECK(outbox.ask("select t.status(1)") == "failed");
    outbox.ask("select core.outbox_replay(t.id(1), 3)");
    CHECK(outbox.ask("select t.status(1), generation from core.outbox") == "pending|3");
}

TEST_CASE("a class that the longer number leaves no room for is dropped, not the row", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.subscribe('ctx', 22, '{a}')");
    outbox.ask("insert into core.outbox (id, event_type, source, generation, payload, channel) "
               "values (t.id(1), 'a', 'tests', 1, '{}', 'outbox_gen_1_' || repeat('c', 50)), "
               "(t.id(2), 'a', 'tests', 1, '{}', 'outbox_gen_1_' || repeat('c', 49))");
    outbox.ask("select t.claim(); select t.settle(1, 'failed'), t.settle(2, 'failed')");

    outbox.ask("select core.outbox_replay(t.id(1), 22), core.outbox_replay(t.id(2), 22)");

    CHECK(outbox.ask("select channel from core.outbox order by id") ==
          "outbox_gen_22\noutbox_gen_22_" + std::string(49, 'c'));
}

namespace {

// Dead letters of 'ctx' at generation 7, and who listens where.
class stranded : public outbox
{
public:
    stranded()
    {
        ask("select t.publish(1, target => 'ctx', generation => 7); "
            "select t.claim(generation => 7); select t.settle(1, 'failed', error => 'x: y')");
    }
    void listens(const std::string& generation, const std::string& context = "ctx")
    {
        awaited(generation, context);
        ask("select core.worker_register('" + context + generation + "', '" + context + "', " +
            generation + ", 'host', 1, false)");
    }
    void awaited(const std::string& generation, const std::string& context = "ctx")
    {
        ask("select core.subscribe('" + context + "', " + generation + ", '{a}')");
    }
    std::string replay()
    {
        return ask("select result, generation from core.outbox_replay_many(t.ids(1))");
    }
};

}

TEST_CASE("a replay without a generation stays at the row's own while somebody listens there",
          "[schema]")
{
    stranded outbox;
    outbox.listens("7");
    outbox.listens("9");

    CHECK(outbox.replay() == "replayed|7");
    CHECK(outbox.ask("select generation, channel from core.outbox") == "7|outbox_gen_7");
}

TEST_CASE("a replay without a generation goes to the newest one where a worker listens for it",
          "[schema]")
{
    stranded outbox;
    outbox.awaited("7");
    outbox.listens("8");
    outbox.listens("9");
    outbox.listens("10", "other");
    outbox.ask("select core.allocate_generation('empty')");
    outbox.ask("select core.subscribe('ctx', 10, '{b}')");

    CHECK(outbox.replay() == "replayed|9");
    CHECK(outbox.ask("select detail->'from', detail->'to' from core.operator_actions "
                     "where action = 'replay'") == "7|9");
}

TEST_CASE("a worker that died listens nowhere, and a replay does not go to it", "[schema]")
{
    stranded outbox;
    outbox.listens("7");
    outbox.listens("9");
    outbox.ask("update core.workers set heartbeat_at = now() - interval '1 hour' "
               "where generation = 7");

    CHECK(outbox.replay() == "replayed|9");
}

TEST_CASE("a replay waits at a generation in service for a worker to come back", "[schema]")
{
    stranded outbox;
    outbox.awaited("7");
    outbox.awaited("9");
    outbox.ask("select core.retire_generation(9)");

    CHECK(outbox.replay() == "replayed|7");
}

TEST_CASE("a replay for which nobody listens anywhere is refused, and says so", "[schema]")
{
    stranded outbox;
    outbox.listens("8", "other");
    outbox.awaited("7");
    outbox.ask("select core.retire_generation(7)");

    CHECK(outbox.replay() == "refused|");
    CHECK(says(outbox.refusal("select core.outbox_replay(t.id(1), null, 'ada')"),
               "no context listens for a with target ctx at any generation"));
    CHECK(outbox.ask("select status, generation from core.outbox") == "failed|7");
    CHECK(outbox.ask("select core.outbox_replay(t.id(1), 8, 'ada')") == "");
}

TEST_CASE("of many dead letters each is replayed where it is listened for", "[schema]")
{
    stranded outbox;
    outbox.listens("7");
    outbox.listens("8", "other");
    outbox.ask("select t.publish(2, target => 'other', generation => 7), "
               "t.publish(3, type => 'b', generation => 7), t.publish(4, generation => 7); "
               "select t.claim(generation => 7, context => 'other', types => '{a,b}'); "
               "select t.claim(generation => 7); "
               "select t.settle(n, 'failed', error => 'x: y') from generate_series(2, 4) n");

    CHECK(outbox.ask("select t.n(id), result, generation "
                     "from core.outbox_replay_many(t.ids(1, 2, 3, 4)) order by 1") ==
          "1|replayed|7\n2|replayed|8\n3|refused|\n4|replayed|7");
}
