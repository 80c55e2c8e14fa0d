#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

namespace {

// At generation 1, which is on its way out, and at 2: a bit of everything.
class populated : public outbox
{
public:
    populated()
    {
        ask("select core.allocate_generation('one'), core.allocate_generation('two'), "
            "core.subscribe('ctx', 1, '{a}'), core.subscribe('ctx', 2, '{a}')");
        ask("select t.publish(1), t.publish(2), t.publish(3), t.publish(4), t.publish(5), "
            "t.publish(6, due => '1 hour'); select t.claim(4)");
        ask("select t.settle(1), t.settle(2, 'failed'), "
            "t.settle(3, 'retry', retry_in => '1 hour')");
        ask("select t.publish(7, generation => 2, class => 'bulk'), "
            "t.publish(8, 'unheard', generation => 2), "
            "t.publish(9, target => 'nobody', generation => 2), "
            "t.publish(10, target => 'ctx', generation => 2), t.publish(11, generation => 2)");
        ask("update core.outbox set deleted_at = now() where id = t.id(11)");
        ask("update core.outbox set created_at = created_at - interval '1 hour', "
            "available_at = available_at - interval '1 hour' where id = t.id(5)");
    }
};

}

TEST_CASE("the backlog is counted by what operators ask for, delivered rows left out", "[schema]")
{
    populated outbox;

    CHECK(outbox.ask("select generation, status, channel, event_type, source, target, events, "
                     "waiting, oldest_age_seconds > 3000 from core.metrics_backlog "
                     "order by 1, 2, 3, 4, 6") == "1|in_flight|outbox_gen_1|a|tests||1|0|f\n"
                                                  "1|pending|outbox_gen_1|a|tests||3|2|t\n"
                                                  "2|pending|outbox_gen_2|a|tests|ctx|1|0|f\n"
                                                  "2|pending|outbox_gen_2|a|tests|nobody|1|0|f\n"
                                                  "2|pending|outbox_gen_2|unheard|tests||1|0|f\n"
                                                  "2|pending|outbox_gen_2_bulk|a|tests||1|0|f");
}

TEST_CASE("the backlog is the same when the floor has risen", "[schema][alone]")
{
    populated outbox;
    const auto counted = "select generation, status, sum(events) from core.metrics_backlog "
                         "group by 1, 2 order by 1, 2";
    const auto before = outbox.ask(counted);

    outbox.ask("select t.age('1 minute')");
    outbox.advance();

    CHECK(outbox.ask("select t.passed(1)") == "f"); // Row 5 is older, and pending.
    CHECK(outbox.ask(counted) == before);
    outbox.ask("update core.outbox set status = 'delivered' where id = t.id(5)");
    outbox.advance();
    CHECK(outbox.ask("select t.passed(1), t.passed(3)") == "t|t");
    CHECK(outbox.ask(counted) == "1|in_flight|1\n1|pending|2\n2|pending|4");
}

TEST_CASE("rows that nobody listens for are shown", "[schema]")
{
    populated outbox;

    CHECK(outbox.ask("select generation, event_type, target, events from core.metrics_unrouted "
                     "order by 2") == "2|a|nobody|1\n2|unheard||1");
}

TEST_CASE("rows that are left behind by their generation are shown", "[schema]")
{
    populated outbox;
    CHECK(outbox.ask("select count(*) from core.metrics_stranded") == "0");

    outbox.ask("select core.retire_generation(1)");

    CHECK(outbox.ask("select generation, deployment, label, status, events, oldest_at < now() - "
                     "interval '50 min' from core.metrics_stranded order by 4") ==
          "1|draining|one|in_flight|1|f\n1|draining|one|pending|3|t");
}

TEST_CASE("dead letters are counted, discarded ones left out", "[schema]")
{
    populated outbox;
    CHECK(outbox.ask("select generation, event_type, source, target, events, oldest_at = newest_at "
                     "from core.metrics_dead_letters") == "1|a|tests||1|t");

    outbox.ask("select core.outbox_discard(t.id(2))");

    CHECK(outbox.ask("select count(*) from core.metrics_dead_letters") == "0");
}

TEST_CASE("deployments show who listens and who runs", "[schema]")
{
    populated outbox;
    auto worker = outbox.open();
    worker.ask("select core.worker_register('w', 'ctx', 2, 'host', 7)");
    outbox.ask("select core.subscribe('mail', 2, '{a,b}')");

    CHECK(outbox.ask("select generation, label, status, contexts, workers "
                     "from core.metrics_deployments order by 1") ==
          "1|one|active|1|0\n2|two|active|2|1");
    CHECK(outbox.ask("select id, context, generation, host, pid, alive, heartbeat_age_seconds < 60 "
                     "from core.metrics_workers") == "w|ctx|2|host|7|t|t");
}

TEST_CASE("storage is told from statistics", "[schema]")
{
    populated outbox;
    outbox.ask("analyze core.outbox");

    CHECK(outbox.ask("select relation, rows_estimate, bytes > 0, notify_queue_usage "
                     "from core.metrics_storage order by 1") ==
          "event_handled|0|t|0\noutbox|11|t|0");
}
