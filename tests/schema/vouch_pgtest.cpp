#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

TEST_CASE("a worker that is vouched for is heard of, and its leases are renewed", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'host', 1, false), "
               "core.worker_register('v', 'ctx', 1, 'host', 2, false)");
    outbox.ask("select t.publish(1), t.publish(2), t.publish(3)");
    outbox.ask("select core.outbox_claim('w', t.id(7), 1, 'ctx', '{a}', null, 2, '-infinity', "
               "'-infinity')");
    outbox.ask("select core.outbox_claim('v', t.id(8), 1, 'ctx', '{a}', null, 1, '-infinity', "
               "'-infinity')");
    outbox.ask("update core.outbox set claimed_at = now() - interval '1 hour'; "
               "update core.workers set heartbeat_at = now() - interval '1 hour'");

    CHECK(outbox.ask("select core.worker_vouch('w')") == "2");

    CHECK(
        outbox.ask("select claimed_by, claimed_at > now() - interval '1 minute', status, attempts "
                   "from core.outbox order by id") ==
        "w|t|in_flight|0\nw|t|in_flight|0\nv|f|in_flight|0");
    CHECK(outbox.ask("select id, heartbeat_at > now() - interval '1 minute' from core.workers "
                     "order by id") == "v|f\nw|t");
}

TEST_CASE("the row whose handler blocks its worker counts as running", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'host', 1, false)");
    outbox.ask("select t.publish(1), t.publish(2)");
    outbox.ask("select core.outbox_claim('w', t.id(7), 1, 'ctx', '{a}', null, 2, '-infinity', "
               "'-infinity')");

    outbox.ask("select core.worker_vouch('w', t.id(1)), core.worker_vouch('w', t.id(1))");

    CHECK(outbox.ask("select running = array[t.id(1)] from core.workers") == "t");
    outbox.ask("update core.outbox set claimed_at = now() - interval '1 hour'");
    CHECK(outbox.ask("select t.n(id), outcome from core.outbox_reap(1) order by 1") ==
          "1|retry\n2|released");
}

TEST_CASE("nobody vouches for a worker that is not registered", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish(1)");
    outbox.ask("select core.outbox_claim('gone', t.id(7), 1, 'ctx', '{a}', null, 2, '-infinity', "
               "'-infinity')");
    outbox.ask("update core.outbox set claimed_at = now() - interval '1 hour'");

    CHECK(outbox.ask("select core.worker_vouch('gone') is null") == "t");

    CHECK(outbox.ask("select claimed_at < now() - interval '1 minute' from core.outbox") == "t");
}

TEST_CASE("a delayed row that is in flight is vouched for too", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'host', 1, false)");
    outbox.ask("select t.publish(1)");
    outbox.ask("update core.outbox set available_at = created_at + interval '1 microsecond'");
    outbox.ask("select core.outbox_claim('w', t.id(7), 1, 'ctx', '{a}', null, 2, '-infinity', "
               "'-infinity')");

    CHECK(outbox.ask("select status, core.worker_vouch('w') from core.outbox") == "in_flight|1");
}
