#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

namespace {

// An outbox with claimed rows 1 to 3, all at generation 1, which ctx listens at.
class claimed : public outbox
{
public:
    claimed()
    {
        ask("select core.subscribe('ctx', g, '{a}') from unnest('{1,2}'::bigint[]) g");
        ask("select t.publish_many(1, 3); select t.claim()");
    }
    void settle(const std::string& outcomes, const std::string& handlers)
    {
        ask("select core.outbox_settle(t.ids(1, 2, 3), t.ids(1, 1, 1), '" + outcomes +
            "', '{0,0,0}', '{x: 1,y: 2,z: 3}', '" + handlers + "')");
    }
    std::string handlers()
    {
        return ask("select status, last_handler from core.outbox order by id");
    }
};

}

TEST_CASE("a row remembers whose failure its error is", "[schema]")
{
    claimed outbox;

    outbox.settle("{retry,failed,delivered}", "{c.one,c.two,c.three}");

    CHECK(outbox.handlers() == "pending|c.one\nfailed|c.two\ndelivered|");
}

TEST_CASE("the class of a dead letter is what stands before the colon of its first line, and short",
          "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish_many(1, 5); select t.claim();"
               "select t.settle(1, 'failed', error => 'shop.no_stock: of 7: none'),"
               "    t.settle(2, 'failed', error => 'no colon at all'),"
               "    t.settle(3, 'failed', error => E'two lines\nand a: colon'),"
               "    t.settle(4, 'failed', error => repeat('x', 1900)),"
               "    t.settle(5, 'failed', error => '')");

    CHECK(outbox.ask("select t.n(id), left(error_class, 20), length(error_class) "
                     "from core.dead_letters order by id") == "1|shop.no_stock|13\n"
                                                              "2|no colon at all|15\n"
                                                              "3|two lines|9\n"
                                                              "4|xxxxxxxxxxxxxxxxxxxx|120\n"
                                                              "5||0");
    CHECK(outbox.ask("select t.n(id) from core.find_dead_letters(p_error_class => 'two lines')") ==
          "3");
}

TEST_CASE("the transactional flow remembers it too", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish(1)");

    outbox.ask("begin; select t.claim_locked(); select core.outbox_settle_locked(array[ctid], "
               "array[id], '{failed}', '{0}', '{x: 1}', 'w', '{c.one}') from core.outbox; commit");

    CHECK(outbox.ask("select status, last_handler, claimed_by from core.outbox") ==
          "failed|c.one|w");
}

TEST_CASE("who settles without the names of handlers leaves none behind", "[schema]")
{
    claimed outbox;
    outbox.settle("{retry,retry,retry}", "{c.one,c.one,c.one}");
    outbox.ask("select t.claim(token => 2)");

    outbox.ask("select t.settle(1, 'failed', 2, error => 'q'), t.settle(2, 'released', 2), "
               "t.settle(3, token => 2)");

    CHECK(outbox.handlers() == "failed|\npending|c.one\ndelivered|c.one");
}

TEST_CASE("the death of a worker is no handler's failure", "[schema]")
{
    claimed outbox;
    outbox.settle("{retry,retry,retry}", "{c.one,c.one,c.one}");
    outbox.ask("select core.worker_register('v', 'ctx', 1, 'h', 1, false); "
               "select t.claim(token => 2, worker => 'v'); "
               "select core.worker_running('v', t.ids(1)); "
               "update core.workers set heartbeat_at = now() - interval '1 hour'; "
               "update core.outbox set claimed_at = now() - interval '1 hour'");

    outbox.ask("select core.outbox_reap(1)");

    CHECK(outbox.ask("select last_handler, attempts from core.outbox order by id") ==
          "|2\nc.one|1\nc.one|1");
}

TEST_CASE("many dead letters are replayed in one call, each with its answer", "[schema]")
{
    claimed outbox;
    outbox.settle("{failed,failed,delivered}", "{c.one,c.two,null}");

    CHECK(outbox.ask("select t.n(id), result, reason from core.outbox_replay_many("
                     "t.ids(1, 2, 3, 9, 1), 2, 'ada') order by 1") ==
          "1|replayed|\n2|replayed|\n"
          "3|refused|event 00000000-0000-7000-8000-000000000003 is delivered, only failed events "
          "can be replayed\n"
          "9|missing|no event 00000000-0000-7000-8000-000000000009 in the outbox");
    CHECK(outbox.ask("select status, generation, channel, last_handler, "
                     "failure_history->0->>'handler' from core.outbox order by id") ==
          "pending|2|outbox_gen_2||c.one\npending|2|outbox_gen_2||c.two\n"
          "delivered|1|outbox_gen_1||");
    CHECK(outbox.ask("select t.claim(generation => 2, token => 5)") == "1,2");
}

TEST_CASE("a replay of many wakes each channel once", "[schema]")
{
    claimed outbox;
    outbox.settle("{failed,failed,failed}", "{c.one,c.one,c.one}");
    auto listener = outbox.open();
    listener.ask("listen outbox_gen_2");

    outbox.ask("select core.outbox_replay_many(t.ids(1, 2, 3), 2)");

    const auto heard = listener.ask("select 1");
    const auto first = heard.find("Asynchronous notification");
    REQUIRE(first != heard.npos);
    CHECK(heard.find("Asynchronous notification", first + 1) == heard.npos);
}

TEST_CASE("two operators who replay the same rows in any order replay each once", "[schema]")
{
    claimed outbox;
    outbox.settle("{failed,failed,failed}", "{c.one,c.one,c.one}");
    auto other = outbox.open();
    outbox.ask("begin; select core.outbox_replay_many(t.ids(1, 3), 2)");
    other.start("select count(*) from core.outbox_replay_many(t.ids(3, 2, 1), 2) "
                "where result = 'replayed'");
    outbox.ask("commit");

    CHECK(other.finish() == "1");
    CHECK(outbox.ask("select distinct jsonb_array_length(failure_history) from core.outbox") ==
          "1");
}

TEST_CASE("many dead letters are discarded in one call, each with its answer", "[schema]")
{
    claimed outbox;
    outbox.settle("{failed,failed,delivered}", "{c.one,c.two,null}");

    CHECK(outbox.ask("select t.n(id), result from core.outbox_discard_many(t.ids(1, 3, 9), 'ada') "
                     "order by 1") == "1|discarded\n3|refused\n9|missing");
    CHECK(outbox.ask("select t.n(id) from core.dead_letters") == "2");
    CHECK(outbox.ask("select failure_history->0->>'handler', failure_history->0->>'discarded_by' "
                     "from core.outbox where id = t.id(1)") == "c.one|ada");
}

TEST_CASE("what operators do is on record, with the row or without it, if it was done", "[schema]")
{
    claimed outbox;
    outbox.settle("{failed,failed,failed}", "{c.one,c.one,c.one}");

    outbox.ask("begin; select core.outbox_replay(t.id(1), 2, 'mallory'); rollback");
    outbox.ask("select core.outbox_replay(t.id(1), 2, 'ada'), core.outbox_discard(t.id(2))");
    outbox.ask("select core.allocate_generation('v'), core.retire_generation(1)");
    outbox.ask("select core.outbox_drain(2, 1) from core.deployments "
               "where false; delete from core.outbox");

    CHECK(outbox.ask("select action, actor, database_user = session_user, t.n(row_id), event_type "
                     "from core.operator_actions order by id") ==
          "replay|ada|t|1|a\ndiscard||t|2|a\nallocate_generation||t||\nretire_generation||t||");
}

TEST_CASE("an action that nobody knows is not recorded", "[schema]")
{
    outbox outbox;

    CHECK(says(outbox.refusal("insert into core.operator_actions (action) values ('gossip')"),
               "operator_actions_action_is_known"));
}

TEST_CASE("dead letters are found without reading anything else", "[schema][alone]")
{
    outbox outbox;
    outbox.ask("analyze core.outbox; select t.publish_many(1, 20000); "
               "update core.outbox set status = 'delivered'; "
               "update core.outbox set status = 'failed', failed_at = now() + t.n(id) * "
               "interval '1 second', last_error = 'x: ' || t.n(id) where t.n(id) <= 200");
    constexpr auto scans = "select seq_scan from pg_stat_user_tables where relname = 'outbox'";
    constexpr auto reads = "select idx_tup_fetch from pg_stat_user_tables where relname = 'outbox'";
    const auto statistics = [&](const char* query) {
        outbox.ask("select pg_stat_force_next_flush()");
        return std::stol(outbox.ask(query));
    };
    const auto scans_before = statistics(scans);
    const auto reads_before = statistics(reads);

    CHECK(outbox.ask("select t.n(id) from core.find_dead_letters(p_limit => 2)") == "200\n199");
    CHECK(outbox.ask("select t.n(id) from core.find_dead_letters(p_limit => 2, "
                     "p_oldest_first => true)") == "1\n2");
    CHECK(statistics(reads) - reads_before < 20);
    CHECK(outbox.ask("select count(*) from core.find_dead_letters(p_error => 'X: 1')") == "111");
    CHECK(statistics(reads) - reads_before < 300);
    CHECK(statistics(scans) == scans_before);
}

TEST_CASE("who handled a key is found by a probe for each handler", "[schema]")
{
    outbox outbox;
    outbox.ask("insert into core.event_handled (handler_name, idempotency_key, event_id) "
               "select h, k::text, t.id(k) from unnest('{a.x,a.y,b.z}'::text[]) h, "
               "generate_series(1, 100) k; delete from core.event_handled "
               "where handler_name = 'a.y' and idempotency_key = '7'");

    CHECK(outbox.ask("select handler, t.n(event_id) from core.outbox_handled_by('7')") ==
          "a.x|7\nb.z|7");
    CHECK(outbox.ask("select count(*) from core.outbox_handled_by('no')") == "0");
}
