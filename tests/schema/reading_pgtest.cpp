#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

namespace {

constexpr std::string_view counted = "select coalesce(sum(events), 0) from core.reading_backlog";

// Whether it counted.
std::string read(outbox& in, const std::string& arguments)
{
    return in.ask("select exact from core.outbox_reading(" + arguments + ")");
}

// The last count is so long ago, and took so long.
void age_reading(outbox& in, const std::string& by, const std::string& took = "1 ms")
{
    in.ask("update core.backlog_reading set took = '" + took +
           "', taken_at = clock_timestamp() - interval '" + by +
           "', tried_at = clock_timestamp() - interval '" + by + "'");
}

}

TEST_CASE("a backlog is counted once, and shared by all who look", "[schema]")
{
    outbox outbox;
    session other = outbox.open();
    outbox.ask("select t.publish_many(1, 3)");

    CHECK(read(outbox, "'1 hour'") == "t");
    outbox.ask("select t.publish(4)");

    CHECK(read(outbox, "'1 hour'") == "f");
    CHECK(other.ask("select exact, age_seconds < 3600 from core.outbox_reading('1 hour')") ==
          "f|t");
    CHECK(other.ask(counted) == "3");
    CHECK(read(outbox, "'1 hour', p_exact => true") == "t");
    CHECK(other.ask(counted) == "4");
}

TEST_CASE("a reading that is older than asked for is counted anew", "[schema]")
{
    outbox outbox;
    read(outbox, "'0'");
    outbox.ask("select t.publish(1)");
    age_reading(outbox, "1 minute");

    CHECK(read(outbox, "'2 minutes'") == "f");
    CHECK(outbox.ask("select age_seconds between 60 and 120 from core.outbox_reading('1 hour')") ==
          "t");
    CHECK(read(outbox, "'50 seconds'") == "t");
    CHECK(outbox.ask(counted) == "1");
}

TEST_CASE("a count that took long is not repeated for 200 times as long", "[schema]")
{
    outbox outbox;
    read(outbox, "'0'");

    age_reading(outbox, "390 seconds", "2 seconds");
    CHECK(read(outbox, "'0'") == "f");
    age_reading(outbox, "401 seconds", "2 seconds");
    CHECK(read(outbox, "'0'") == "t");
    age_reading(outbox, "1 second", "10 seconds");
    CHECK(read(outbox, "'0', p_exact => true") == "t");
}

TEST_CASE("after twenty minutes there is a new count, however long the last one took", "[schema]")
{
    outbox outbox;
    read(outbox, "'0'");

    // One that stood in line for a lock, say.
    age_reading(outbox, "1190 seconds", "1 hour");
    CHECK(read(outbox, "'0'") == "f");
    age_reading(outbox, "1201 seconds", "1 hour");
    CHECK(read(outbox, "'0'") == "t");
    // Who is content with less often is asked less often.
    age_reading(outbox, "1201 seconds", "1 hour");
    CHECK(read(outbox, "'1 hour'") == "f");
}

TEST_CASE("while one counts the others take what is there, and wait for nobody", "[schema]")
{
    outbox outbox;
    session counting = outbox.open();
    session third = outbox.open();

    counting.ask("begin; select core.outbox_reading()");
    CHECK(third.ask("select * from core.outbox_reading('0')").empty()); // Never counted yet.
    counting.ask("commit");
    age_reading(outbox, "1 hour");
    counting.ask("begin; select core.outbox_reading('1 minute')");

    CHECK(third.ask("select exact, age_seconds > 3000 from core.outbox_reading('0')") == "f|t");
    counting.ask("commit");
    CHECK(third.ask("select exact, age_seconds < 3000 from core.outbox_reading('1 hour')") ==
          "f|t");
}

TEST_CASE("a count that is broken off is paid for like any other", "[schema]")
{
    outbox outbox;
    session blocker = outbox.open();
    session counting = outbox.open();
    outbox.ask("select t.publish_many(1, 3)");
    read(outbox, "'0'");
    age_reading(outbox, "1 hour");
    blocker.ask("begin; lock table core.outbox in access exclusive mode");
    counting.ask("set statement_timeout = '50 ms'");

    CHECK(counting.ask("select exact, age_seconds > 3000 from core.outbox_reading('0')") == "f|t");
    CHECK(outbox.ask("select took > interval '10 ms', tried_at > taken_at + interval '50 min' "
                     "from core.backlog_reading") == "t|t");
    // It would hang here if it tried.
    CHECK(read(outbox, "'0'") == "f");
    CHECK(outbox.ask(counted) == "3");

    blocker.ask("rollback");
    CHECK(read(outbox, "'0', true") == "t");
}

TEST_CASE("a reading that a crash has wiped out is taken anew", "[schema]")
{
    outbox outbox;
    outbox.ask("select t.publish(1)");
    read(outbox, "'0'");

    outbox.ask("truncate core.backlog_reading"); // As recovery does with unlogged tables.

    CHECK(outbox.ask(counted) == "0");
    CHECK(read(outbox, "'1 hour'") == "t");
    CHECK(outbox.ask(counted) == "1");
}

TEST_CASE("who may only read gets what was counted, and does not count", "[schema]")
{
    outbox outbox;
    session reader = outbox.open();
    reader.ask("set default_transaction_read_only = on");

    CHECK(reader.ask("select * from core.outbox_reading('0', true)").empty());
    read(outbox, "'0'");
    age_reading(outbox, "1 hour");
    CHECK(reader.ask("select exact, age_seconds > 3000 from core.outbox_reading('0')") == "f|t");
}

TEST_CASE("the reading's views say what the metrics' views count", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.allocate_generation('one'), core.allocate_generation('two'), "
               "core.subscribe('ctx', 1, '{a}'), core.subscribe('ctx', 2, '{a}')");
    outbox.ask("select t.publish(1), t.publish(2), t.publish(3), t.publish(4, due => '1 hour'); "
               "select t.claim(2); select t.settle(1, 'failed')");
    outbox.ask("select t.publish(5, 'unheard', generation => 2), "
               "t.publish(6, target => 'nobody', generation => 2); "
               "select core.retire_generation(1)");
    read(outbox, "'0'");
    const auto same = [&outbox](std::string columns, std::string which) {
        return outbox.ask(
            "select count(*) > 0, count(*) filter (where n <> 2) from (select count(*) "
            "as n from (select " +
            columns + " from core.metrics_" + which + " union all select " + columns +
            " from core.reading_" + which + ") both_of_them group by " + columns + ") rows");
    };

    CHECK(
        same("generation, status, channel, event_type, source, target, events, waiting, oldest_at",
             "backlog") == "t|0");
    CHECK(same("generation, deployment, label, status, events, oldest_at", "stranded") == "t|0");
    CHECK(same("generation, event_type, source, target, channel, events, oldest_at", "unrouted") ==
          "t|0");
    CHECK(same("generation, event_type, events, oldest_at, newest_at", "dead_letters") == "t|0");
}

TEST_CASE("of more than 500 groups the smallest are counted together", "[schema]")
{
    outbox outbox;
    outbox.ask("insert into core.outbox (id, event_type, source, generation, payload, quiet) "
               "select t.id(n), 'type ' || n % 700, 'tests', 1, '{}', true "
               "from generate_series(1, 1199) n");
    outbox.ask(
        "insert into core.outbox (id, event_type, source, generation, payload, quiet, status, "
        "failed_at) select t.id(2000 + n), 'type ' || n, 'tests', 1, '{}', true, 'failed', "
        "now() from generate_series(1, 510) n");

    read(outbox, "'0'");

    CHECK(outbox.ask("select count(*), sum(events), sum(events) filter (where event_type = "
                     "'(others)') from core.reading_backlog") == "501|1199|200");
    CHECK(outbox.ask("select count(*), sum(events) from core.reading_unrouted") == "501|1199");
    CHECK(outbox.ask("select count(*), sum(events) from core.reading_dead_letters") == "501|510");
}

TEST_CASE("of what is counted together it is known how much nobody listens for", "[schema]")
{
    outbox outbox;
    // Types 1 to 500 have two rows each; of the others every tenth has a listener.
    outbox.ask("insert into core.outbox (id, event_type, source, generation, payload, quiet) "
               "select t.id(n), 'type ' || n % 600, 'tests', 1, '{}', true "
               "from generate_series(1, 1100) n");
    outbox.ask("select core.subscribe('ctx', 1, array(select 'type ' || n from "
               "generate_series(0, 599) n where n <= 500 or n % 10 = 0))");

    read(outbox, "'0'");

    CHECK(outbox.ask("select sum(events) from core.reading_backlog") == "1100");
    CHECK(outbox.ask("select event_type, events from core.reading_unrouted") == "(others)|90");
}
