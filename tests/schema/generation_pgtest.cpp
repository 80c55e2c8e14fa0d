#include "outbox.hpp"
#include "support/eventually.hpp"

#include <catch2/catch_test_macros.hpp>

#include <list>

using namespace cuebox::schema::test;

TEST_CASE("four who allocate at once get numbers of their own", "[schema]")
{
    outbox outbox;
    std::list<session> deployers;

    for (int n = 0; n < 4; ++n)
        deployers.emplace_back(outbox.conninfo())
            .start("do $$ begin for i in 1..25 loop perform core.allocate_generation('x'); commit; "
                   "end loop; end $$");
    for (auto& deployer : deployers)
        deployer.finish();

    CHECK(outbox.ask("select count(*), min(generation), max(generation) from core.deployments") ==
          "100|1|100");
    CHECK(outbox.ask("select core.allocate_generation('last')") == "101");
}

TEST_CASE("an allocated number is one more than any in use, allocated or not", "[schema]")
{
    outbox outbox;
    const auto next = [&outbox] { return outbox.ask("select core.allocate_generation('x')"); };

    outbox.ask("select core.worker_register('w', 'ctx', 7, 'host', 1, false)");
    CHECK(next() == "8");
    outbox.ask("select core.subscribe('ctx', 11, '{a}')");
    CHECK(next() == "12");
    outbox.ask("select t.publish(1, generation => 20)");
    CHECK(next() == "21");
    CHECK(outbox.ask("select context, event_type from core.subscriptions where generation = 21") ==
          "ctx|a");
}

TEST_CASE("a row with the last number there is does not end allocation", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.allocate_generation('x'), t.publish(1, generation => 2), "
               "t.publish(2, generation => 9223372036854775807)");

    CHECK(outbox.ask("select core.allocate_generation('x')") == "3");
    CHECK(outbox.ask("select core.allocate_generation('x')") == "4");
}

TEST_CASE("a generation in use is retired, whether it was allocated or not", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.subscribe('ctx', 7, '{a}'), "
               "core.worker_register('w', 'ctx', 7, 'host', 1, false), "
               "t.publish(1, generation => 7)");

    CHECK(outbox.ask("select core.retire_generation(7, 'ada')") == "draining");
    CHECK(outbox.ask("select detail from core.operator_actions") ==
          R"({"status": "draining", "adopted": true, "generation": 7})");
    CHECK(outbox.ask("select stranded.events from core.metrics_stranded stranded") == "1");
    outbox.ask("select core.allocate_generation('x'), core.outbox_drain(7, 8), "
               "core.worker_unregister('w')");
    CHECK(outbox.ask("select core.retire_generation(7)") == "retired");
    CHECK(says(outbox.refusal("select core.retire_generation(6)"), "no generation 6"));
}

TEST_CASE("a generation is draining until its last row is settled, then retired", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.allocate_generation('one'), core.subscribe('ctx', 1, '{a}')");
    outbox.ask("select t.publish_many(1, 2), t.publish(3, due => '1 hour'); select t.claim()");

    CHECK(outbox.ask("select core.retire_generation(1)") == "draining");
    CHECK(outbox.ask("select status, retired_at is null from core.deployments") == "draining|t");
    outbox.ask("select t.settle(1), t.settle(2, 'failed')");
    CHECK(outbox.ask("select core.retire_generation(1)") == "draining");
    outbox.ask("select t.age('2 hours'); select t.claim(); select t.settle(3)");
    CHECK(outbox.ask("select core.retire_generation(1)") == "retired");

    CHECK(outbox.ask("select status, retired_at is not null from core.deployments") == "retired|t");
    CHECK(says(outbox.refusal("select core.retire_generation(9)"), "no generation 9"));
}

TEST_CASE("a drain moves what is pending, in steps, and leaves a record of each", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.allocate_generation('one'), core.allocate_generation('two')");
    outbox.ask("select t.publish_many(1, 4), t.publish(5, class => 'bulk'), "
               "t.publish(6, due => '1 hour'), t.publish(7), t.publish(8); select t.claim(2)");
    outbox.ask("select t.settle(1, 'failed'); "
               "update core.outbox set status = 'delivered' where id = t.id(8)");
    auto listener = outbox.open();
    listener.ask("listen outbox_gen_2_bulk");

    CHECK(outbox.ask("select core.outbox_drain(1, 2, 'ada', 3)") == "3");
    CHECK(outbox.ask("select core.outbox_drain(1, 2, 'bob', 3)") == "2");
    CHECK(outbox.ask("select core.outbox_drain(1, 2, 'bob', 3)") == "0");

    CHECK(outbox.ask("select t.n(id), status from core.outbox where generation = 1 order by id") ==
          "1|failed\n2|in_flight\n8|delivered");
    CHECK(outbox.ask("select distinct channel from core.outbox where generation = 2 order by 1") ==
          "outbox_gen_2\noutbox_gen_2_bulk");
    CHECK(outbox.ask("select from_generation, to_generation, rows_moved, drained_by "
                     "from core.drains order by id") == "1|2|3|ada\n1|2|2|bob");
    CHECK(says(listener.ask("select 1"), "\"outbox_gen_2_bulk\""));
    CHECK(outbox.ask("select t.claim(generation => 2, above => 'infinity')") == "3,4,5,7");
    CHECK(outbox.ask("select available_at > now() + interval '30 min' from core.outbox where "
                     "id = t.id(6)") == "t");
}

TEST_CASE("a drain goes only where somebody is", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.allocate_generation('one'), core.allocate_generation('two'), "
               "core.allocate_generation('three')");
    outbox.ask(
        "select core.retire_generation(2); select t.publish(1), t.publish(2, generation => 3)");
    outbox.ask("select core.subscribe('ctx', 3, '{a}'), core.subscribe('ctx', 77, '{a}')");
    CHECK(outbox.ask("select core.retire_generation(3)") == "draining");

    CHECK(says(outbox.refusal("select core.outbox_drain(1, 1)"), "to itself"));
    CHECK(says(outbox.refusal("select core.outbox_drain(1, 2)"), "generation 2 is retired"));
    CHECK(says(outbox.refusal("select core.outbox_drain(1, 3)"), "generation 3 is draining"));
    CHECK(says(outbox.refusal("select core.outbox_drain(1, 9)"),
               "generation 9 was never allocated and nobody listens at it"));
    CHECK(outbox.ask("select generation, count(*) from core.outbox group by 1 order by 1") ==
          "1|1\n3|1");
    CHECK(outbox.ask("select count(*) from core.drains") == "0");
    // Where generations are not registered, who listens is enough.
    CHECK(outbox.ask("select core.outbox_drain(1, 77)") == "1");
}

TEST_CASE("a drain passes by what a worker holds", "[schema]")
{
    outbox outbox;
    auto worker = outbox.open();
    outbox.ask("select core.allocate_generation('one'), core.allocate_generation('two')");
    outbox.ask("select t.publish_many(1, 3)");
    worker.ask("begin; select t.claim_locked(1)");

    CHECK(outbox.ask("select core.outbox_drain(1, 2)") == "2");
    worker.ask("select t.settle_locked(1); commit");

    CHECK(outbox.ask("select t.status(1), generation from core.outbox where id = t.id(1)") ==
          "delivered|1");
}

TEST_CASE("a generation is draining for as long as a worker of it is registered", "[schema]")
{
    outbox outbox;
    outbox.ask(
        "select core.allocate_generation('one'), core.worker_register('w', 'ctx', 1, 'host', "
        "7, p_session => false)");

    CHECK(outbox.ask("select core.retire_generation(1)") == "draining");

    // Dead, and nobody of its context is left to reap it: an operator does.
    outbox.ask("update core.workers set heartbeat_at = now() - interval '1 hour'");
    outbox.ask("select core.outbox_reap(1)");
    CHECK(outbox.ask("select core.retire_generation(1)") == "retired");
}

TEST_CASE("a broadcast at a retired generation is still for all who listened there", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.allocate_generation('one'), core.subscribe('mail', 1, '{a}'), "
               "core.subscribe('bill', 1, '{a}')");
    CHECK(outbox.ask("select core.retire_generation(1)") == "retired");

    // By a producer that has not heard of it.
    outbox.ask("select t.publish(1)");

    CHECK(outbox.ask("select t.claim(context => 'mail')").empty());
    CHECK(outbox.ask("select core.outbox_expand(1, '{a}', 9, '-infinity', '-infinity')") == "1");
    CHECK(outbox.ask("select string_agg(target, ',' order by target) from core.outbox "
                     "where status = 'pending'") == "bill,mail");
}

TEST_CASE("a new generation starts with the listeners of the one before", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.allocate_generation('one'), core.subscribe('old', 1, '{a}')");
    outbox.ask("select core.allocate_generation('two'), core.unsubscribe('old', 2, '{a}'), "
               "core.subscribe('mail', 2, '{a,b}'), core.subscribe('bill', 2, '{a}')");
    outbox.ask("update core.subscriptions set since = '2020-01-01', seen_at = '2020-01-01'");
    outbox.ask("select core.allocate_generation('three')");

    CHECK(outbox.ask("select event_type, context, since > '2021-01-01' and seen_at > '2021-01-01' "
                     "from core.subscriptions where generation = 3 order by 1, 2") ==
          "a|bill|t\na|mail|t\nb|mail|t");
    CHECK(outbox.ask("select string_agg(context, ',') from core.subscriptions "
                     "where generation = 1") == "old");

    // So the first context to start there does not have its broadcasts alone.
    outbox.ask("select core.subscribe('mail', 3, '{a,b}'), t.publish(1, generation => 3)");
    CHECK(outbox.ask("select t.claim(generation => 3, context => 'mail')").empty());
    CHECK(outbox.ask("select core.outbox_expand(3, '{a}', 9, '-infinity', '-infinity')") == "1");
    CHECK(outbox.ask("select count(*) from core.outbox where status = 'pending'") == "2");
}

TEST_CASE("processes that subscribe at once, in any order, do not wait for each other in a circle",
          "[schema]")
{
    outbox outbox;
    auto holder = outbox.open();
    auto subscriber = outbox.open();
    outbox.ask("select core.subscribe('ctx', 1, '{a,b,c}')");
    holder.ask("begin; update core.subscriptions set seen_at = now() where event_type = 'b'");

    subscriber.start("select core.subscribe('ctx', 1, '{c,b,a,c}')");
    REQUIRE(cuebox::test::eventually([&] {
        return outbox.ask("select cardinality(pg_blocking_pids(" + subscriber.backend() + "))") ==
               "1";
    }));

    // It has the first one and waits for the second.
    CHECK(outbox.ask("select string_agg(event_type, ',') from (select event_type from "
                     "core.subscriptions for update skip locked) s") == "c");
    holder.ask("commit");
    subscriber.finish();
}
