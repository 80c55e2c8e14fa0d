#include "outbox.hpp"
#include "support/eventually.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

namespace {

// A worker 'w' in a session of its own that has claimed rows 1 to 3, and runs the second.
class worked : public outbox
{
public:
    worked()
    {
        ask("select t.publish_many(1, 3)");
        worker.ask("select core.worker_register('w', 'ctx', 1, 'host', 7); select t.claim()");
        worker.ask("select core.worker_running('w', t.ids(2))");
    }
    // The end of its session, noticed by the server.
    void die()
    {
        worker.kill();
        REQUIRE(cuebox::test::eventually([this] {
            return ask("select alive from core.metrics_workers where id = 'w'") == "f";
        }));
    }
    void quiet_for(const std::string& time)
    {
        ask("update core.workers set heartbeat_at = heartbeat_at - interval '" + time + "'");
    }
    std::string reap(const std::string& arguments = "p_grace => '0'")
    {
        return ask("select t.n(id), outcome, worker, attempts from core.outbox_reap(1, " +
                   arguments + ") order by 1");
    }

    session worker = open();
};

}

TEST_CASE("rows of a dead worker go back for free, what it ran costs an attempt", "[schema]")
{
    worked outbox;
    outbox.die();

    CHECK(outbox.reap() == "1|released|w|0\n2|retry|w|1\n3|released|w|0");

    CHECK(
        outbox.ask("select status, attempts, last_error, claimed_by is null, claim_token is null, "
                   "first_failed_at is not null from core.outbox order by id") ==
        "pending|0||t|t|f\n"
        "pending|1|worker died: w ended while it handled this event|t|t|t\n"
        "pending|0||t|t|f");
    CHECK(outbox.ask("select count(*) from core.workers") == "0");
    CHECK(outbox.ask("select t.claim(token => 2, above => 'infinity')") == "1,2,3");
    CHECK(outbox.reap().empty());
}

TEST_CASE("an event that kills its workers ends as a dead letter that names the last", "[schema]")
{
    worked outbox;
    outbox.ask("update core.outbox set attempts = 5");
    outbox.die();

    CHECK(outbox.reap("p_max_retries => 5, p_grace => '0'") ==
          "1|released|w|5\n2|failed|w|5\n3|released|w|5");

    CHECK(outbox.ask("select status, last_error, failed_at is not null, claimed_by, claimed_at is "
                     "not null from core.outbox where id = t.id(2)") ==
          "failed|worker died: w ended while it handled this event|t|w|t");
}

TEST_CASE("an expired lease is lost like a worker's", "[schema]")
{
    worked outbox;
    outbox.ask("update core.outbox set claimed_at = now() - interval '10 minutes' "
               "where id <> t.id(3)");

    CHECK(outbox.reap("p_expired => false").empty());
    CHECK(outbox.reap("p_lease => '1 hour'").empty());
    CHECK(outbox.reap("p_lease => '5 minutes'") == "1|released|w|0\n2|retry|w|1");
    CHECK(outbox.ask("select last_error from core.outbox where id = t.id(2)") ==
          "lease lost: w did not renew it within 00:05:00");
    CHECK(outbox.ask("select t.status(3)") == "in_flight");
    CHECK(outbox.ask("select count(*) from core.workers") == "1");
}

TEST_CASE("a living worker keeps its rows, however long it was not heard of", "[schema]")
{
    worked outbox;
    outbox.quiet_for("1 day");

    CHECK(outbox.reap().empty());
    CHECK(outbox.ask("select count(*) from core.workers") == "1");
}

TEST_CASE("a worker that reaps in its own session does not reap itself", "[schema]")
{
    worked outbox;
    outbox.quiet_for("1 day");

    CHECK(outbox.worker.ask("select count(*) from core.outbox_reap(1)") == "0");
    CHECK(outbox.worker.ask("select core.worker_heartbeat('w')") == "t");
}

TEST_CASE("a worker whose session merely reconnects keeps its rows", "[schema]")
{
    worked outbox;
    outbox.die();

    CHECK(outbox.reap("p_grace => '1 minute'").empty());
    auto again = outbox.open();
    again.ask("select core.worker_register('w', 'ctx', 1, 'host', 7)");
    outbox.quiet_for("1 hour");
    CHECK(outbox.reap().empty());
    CHECK(outbox.ask("select t.settle(1)").empty());
}

TEST_CASE("behind a pooler only heartbeats tell, for as long as a lease", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish(1); select t.claim()");
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'host', 7, p_session => false)");
    outbox.ask("update core.workers set heartbeat_at = now() - interval '4 minutes'");
    const auto reap = "select outcome from core.outbox_reap(1, p_lease => '5 minutes')";

    CHECK(outbox.ask(reap).empty());
    outbox.ask("update core.workers set heartbeat_at = now() - interval '6 minutes'");
    CHECK(outbox.ask(reap) == "released");
    CHECK(outbox.ask("select core.worker_heartbeat('w')") == "f");
}

TEST_CASE("two reapers at once reap once", "[schema]")
{
    worked outbox;
    auto other = outbox.open();
    outbox.die();

    outbox.ask("begin");
    CHECK(outbox.reap() == "1|released|w|0\n2|retry|w|1\n3|released|w|0");
    other.ask("set lock_timeout = '10 s'");
    CHECK(other.ask("select count(*) from core.outbox_reap(1, p_grace => '0')") == "0");
    outbox.ask("commit");
    CHECK(other.ask("select count(*) from core.outbox_reap(1, p_grace => '0')") == "0");

    CHECK(outbox.ask("select sum(attempts) from core.outbox") == "1");
}

TEST_CASE("a transactional handler that kills its worker costs its row an attempt", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 2)");
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'host', 7, p_session => false)");
    outbox.ask("select core.worker_running('w', t.ids(1))");
    outbox.ask("update core.workers set heartbeat_at = now() - interval '1 hour'");

    CHECK(outbox.ask("select t.n(id), outcome, worker, last_error from core.outbox_reap(1)") ==
          "1|retry|w|worker died: w ended while it handled this event");
    CHECK(outbox.ask("select attempts from core.outbox order by id") == "1\n0");
}

TEST_CASE("a row that its worker had settled for later before it died is not charged again",
          "[schema]")
{
    worked outbox;
    outbox.ask("select t.settle(2, 'retry', retry_in => '1 hour', error => 'slow')");
    outbox.die();

    CHECK(outbox.reap() == "1|released|w|0\n3|released|w|0");
    CHECK(outbox.ask("select attempts, last_error, available_at > now() + interval '30 min' "
                     "from core.outbox where id = t.id(2)") == "1|slow|t");
}

TEST_CASE("a worker that leaves properly leaves nothing to reap", "[schema]")
{
    worked outbox;
    outbox.ask("select t.settle(n) from generate_series(1, 3) n");
    CHECK(outbox.ask("select core.worker_heartbeat('w', 3, true)") == "t");
    CHECK(outbox.ask("select holding, listening, alive, running from core.metrics_workers") ==
          "3|t|t|1");

    outbox.worker.ask("select core.worker_unregister('w')");

    CHECK(outbox.ask("select count(*) from core.workers") == "0");
    CHECK(outbox.ask("select count(*) from pg_locks where locktype = 'advisory' and database = "
                     "(select oid from pg_database where datname = current_database())") == "0");
    CHECK(outbox.ask("select core.worker_heartbeat('w')") == "f");
}

namespace {

// Rows 1 and 2 for 'mail', 3 and 4 for 'bill', each of which has a worker that runs the first.
class neighbours : public outbox
{
public:
    neighbours()
    {
        ask("select t.publish(1, target => 'mail'), t.publish(2, target => 'mail'), "
            "t.publish(3, 'b', 'bill'), t.publish(4, 'b', 'bill')");
        ask("select core.worker_register('m', 'mail', 1, 'host', 7, p_session => false), "
            "core.worker_register('b', 'bill', 1, 'host', 8, p_session => false)");
        ask("select t.claim(worker => 'm', context => 'mail'), "
            "t.claim(worker => 'b', context => 'bill', types => '{b}')");
        ask("select core.worker_running('m', t.ids(1)), core.worker_running('b', t.ids(3))");
    }
    void all_silent_for(const std::string& time)
    {
        ask("update core.workers set heartbeat_at = now() - interval '" + time + "'");
    }
    void all_expired() { ask("update core.outbox set claimed_at = now() - interval '10 minutes'"); }
    std::string reap(const std::string& arguments)
    {
        return ask("select t.n(id), outcome, worker from core.outbox_reap(1, " + arguments +
                   ") order by 1");
    }
};

}

TEST_CASE("a context reaps its own workers, an operator those of all", "[schema]")
{
    neighbours outbox;
    outbox.all_silent_for("1 hour");

    CHECK(outbox.reap("'ship'").empty());
    CHECK(outbox.reap("'mail'") == "1|retry|m\n2|released|m");
    CHECK(outbox.ask("select id from core.workers") == "b");
    CHECK(outbox.reap("null") == "3|retry|b\n4|released|b");
    CHECK(outbox.ask("select count(*) from core.workers") == "0");
}

TEST_CASE("an expired lease is the business of the context that holds it", "[schema]")
{
    neighbours outbox;
    outbox.all_expired();

    CHECK(outbox.reap("'ship', p_lease => '1 minute'").empty());
    CHECK(outbox.reap("'mail', p_lease => '1 minute'") == "1|retry|m\n2|released|m");
    CHECK(outbox.ask("select t.status(3), t.status(4)") == "in_flight|in_flight");
    CHECK(outbox.reap("'bill', p_lease => '1 hour'").empty());
}

TEST_CASE("an expired lease of a worker that nobody knows is the business of its target",
          "[schema]")
{
    neighbours outbox;
    outbox.ask("select t.publish(5); select t.claim(worker => 'x')");
    outbox.all_expired();
    outbox.ask("select core.worker_unregister('m')");

    CHECK(outbox.reap("'bill'") == "3|retry|b\n4|released|b\n5|released|x");
    CHECK(outbox.reap("'mail'") == "1|released|m\n2|released|m");
}

TEST_CASE("an event type can have a limit of its own", "[schema]")
{
    neighbours outbox;
    outbox.ask("update core.outbox set attempts = 2");
    outbox.all_silent_for("1 hour");

    CHECK(outbox.reap("p_type_limits => '{\"b\": 2}'") ==
          "1|retry|m\n2|released|m\n3|failed|b\n4|released|b");
}

TEST_CASE("who looks for dead workers only leaves expired leases alone", "[schema]")
{
    neighbours outbox;
    outbox.all_expired();
    outbox.ask("update core.workers set heartbeat_at = now() - interval '1 hour' where id = 'm'");

    CHECK(outbox.reap("p_expired => false") == "1|retry|m\n2|released|m");
    CHECK(outbox.ask("select t.status(3), t.status(4)") == "in_flight|in_flight");
}

TEST_CASE("what a worker had settled before it died is not charged, though it is due again",
          "[schema]")
{
    worked outbox;
    outbox.ask("select t.publish(4); begin; select t.claim_locked(); "
               "select core.worker_running('w', t.ids(2, 4)); "
               "select t.settle_locked(4, 'retry', '0', 'slow'); commit");
    outbox.ask("select t.settle(2, 'released')");
    outbox.die();

    CHECK(outbox.reap() == "1|released|w|0\n3|released|w|0");
    CHECK(outbox.ask("select t.n(id), attempts from core.outbox where t.n(id) in (2, 4) "
                     "order by 1") == "2|0\n4|1");
}

TEST_CASE("a dead worker stays on record until the last of its rows was free to be reaped",
          "[schema]")
{
    worked outbox;
    auto other = outbox.open();
    outbox.die();
    other.ask("begin; select 1 from core.outbox where id = t.id(2) for update");

    CHECK(outbox.reap() == "1|released|w|0\n3|released|w|0");
    CHECK(outbox.ask("select id, running = t.ids(2) from core.workers") == "w|t");
    other.ask("rollback");

    CHECK(outbox.reap() == "2|retry|w|1");
    CHECK(outbox.ask("select count(*) from core.workers") == "0");
}

TEST_CASE("a transactional row that is locked when its worker is reaped is charged later",
          "[schema]")
{
    outbox outbox;
    auto other = outbox.open();
    outbox.ask("select t.publish_many(1, 2)");
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'host', 7, p_session => false); "
               "select core.worker_running('w', t.ids(1, 2)); "
               "update core.workers set heartbeat_at = now() - interval '1 hour'");
    other.ask("begin; select 1 from core.outbox where id = t.id(2) for update");
    const auto reap = "select t.n(id), outcome from core.outbox_reap(1)";

    CHECK(outbox.ask(reap) == "1|retry");
    CHECK(outbox.ask(reap).empty());
    other.ask("rollback");
    CHECK(outbox.ask(reap) == "2|retry");

    CHECK(outbox.ask("select sum(attempts) from core.outbox") == "2");
    CHECK(outbox.ask("select count(*) from core.workers") == "0");
}

TEST_CASE("a stale list of one worker does not make another's row a running one", "[schema]")
{
    worked outbox;
    outbox.ask("select t.settle(2, 'released')");
    outbox.ask("select core.worker_register('v', 'ctx', 1, 'host', 8, p_session => false); "
               "select t.claim(worker => 'v', token => 2); "
               "update core.workers set heartbeat_at = now() - interval '1 hour' where id = 'v'");

    CHECK(outbox.reap() == "2|released|v|0");
}

TEST_CASE("a name that another process had is the new one's, without what that one ran", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'host', 7, p_session => false); "
               "select core.worker_running('w', t.ids(1))");

    // The same process again, after a reconnect: its handlers run on.
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'host', 7, p_session => false)");
    CHECK(outbox.ask("select running = t.ids(1) from core.workers") == "t");

    outbox.ask("select core.worker_register('w', 'mail', 2, 'tower', 8, p_session => false)");
    CHECK(outbox.ask("select context, generation, host, pid, running from core.workers") ==
          "mail|2|tower|8|{}");
}

TEST_CASE("a worker that starts learns how many before it were lost", "[schema]")
{
    worked outbox;
    const auto lost = "select core.workers_lost('ctx', 1), core.workers_lost('ctx', 2), "
                      "core.workers_lost('mail', 1)";
    outbox.ask("select core.worker_register('p', 'ctx', 1, 'host', 9, p_session => false)");
    CHECK(outbox.ask(lost) == "0|0|0");

    outbox.die();
    CHECK(outbox.ask(lost) == "1|0|0");
    outbox.ask("update core.workers set heartbeat_at = now() - interval '1 hour' where id = 'p'");
    CHECK(outbox.ask(lost) == "2|0|0");
    outbox.ask("select core.worker_unregister('w'), core.worker_unregister('p')");
    CHECK(outbox.ask(lost) == "0|0|0");
}

TEST_CASE("of a row that is taken back, the trace it was published in can be told", "[schema]")
{
    outbox outbox;
    const std::string trace = "00-11111111111111111111111111111111-2222222222222222-01";
    outbox.ask("select t.publish(1), t.publish(2);"
               "update core.outbox set trace_context = '" +
               trace + "' where id = t.id(1)");

    CHECK(outbox.ask("select core.outbox_trace_of(t.id(1)), core.outbox_trace_of(t.id(2)) is null, "
                     "core.outbox_trace_of(t.id(3)) is null") == trace + "|t|t");
}

TEST_CASE("of a copy of a broadcast that is taken back, the event's own id is told", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.subscribe('ctx', 1, '{a}'), core.subscribe('mail', 1, '{a}');"
               "select t.publish(1);"
               "select core.outbox_expand(1, '{a}', 100, '-infinity', '-infinity')");
    outbox.ask("select count(*) from core.outbox_claim('w', t.id(9), 1, 'ctx', '{a}', null, 10, "
               "'-infinity', '-infinity')");
    outbox.ask("update core.outbox set claimed_at = claimed_at - interval '1 hour' "
               "where status = 'in_flight'");

    CHECK(outbox.ask("select event_id = t.id(1), id = t.id(1), outcome from "
                     "core.outbox_reap_events(1, 'ctx')") == "t|f|released");
}
