#include "support/migrated.hpp"

#include <cuebox/outbox/pg_relay.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::outbox::test;
using namespace std::chrono_literals;

namespace {

outbox::relay_options second(const pg::connect_options& where)
{
    return {.context = "billing", .generation = 2, .line = where, .worker = "w"};
}

pg::awaitable<outbox::gauges> read(pg::connect_options where, std::chrono::milliseconds age_max)
{
    pg::pool pool{{.connect = where}};
    outbox::pg_relay relay{pool, second(where)};
    const outbox::gauges seen = co_await relay.read_gauges(age_max);
    pool.close();
    co_return seen;
}

pg::awaitable<void> keep_alive(pg::connect_options where, outbox::worker_report report)
{
    pg::pool pool{{.connect = where}};
    outbox::pg_relay relay{pool, second(where)};
    co_await relay.keep_alive(report);
    pool.close();
}

pg::connect_options as(const migrated& database, const std::string& role)
{
    return {.conninfo = database.conninfo() + " options='-c role=" + role + "'"};
}

}

TEST_CASE("a worker's gauges tell of its generation, and of the whole database", "[outbox]")
{
    const migrated database;
    database.query("select core.allocate_generation('one'), core.allocate_generation('two'), "
                   "core.subscribe('billing', 1, '{a}'), core.subscribe('billing', 2, '{a}')");
    database.query("select core.outbox_publish('a', 'shop', 1) from generate_series(1, 3)");
    database.query("select core.outbox_publish('a', 'shop', 2) from generate_series(1, 4); "
                   "select core.outbox_publish('unheard', 'shop', 2)");
    database.query(
        "update core.outbox set status = 'in_flight' where id = "
        "(select id from core.outbox where generation = 2 and event_type = 'a' limit 1)");
    database.query("update core.outbox set status = 'failed', failed_at = now() where id = "
                   "(select id from core.outbox where generation = 1 limit 1)");
    database.query("select core.retire_generation(1)");

    const auto seen = run(read(as(database, "cuebox_worker"), 1h));

    CHECK(seen.counting.counted);
    CHECK(seen.counting.exact);
    CHECK(seen.pending == 4);
    CHECK(seen.in_flight == 1);
    CHECK(seen.oldest_seconds);
    REQUIRE(seen.backlog.size() == 4);
    CHECK(seen.backlog[0].generation == 1);
    CHECK(seen.backlog[0].events == 2);
    REQUIRE(seen.dead_letters.size() == 1);
    CHECK(seen.dead_letters[0].events == 1);
    REQUIRE(seen.unrouted.size() == 1);
    CHECK(seen.unrouted[0].event_type == "unheard");
    REQUIRE(seen.stranded.size() == 1);
    CHECK(seen.stranded[0].deployment == "draining");
    CHECK(seen.sees_durations);
}

TEST_CASE("the gauges of many workers share one count", "[outbox]")
{
    const migrated database;

    CHECK(run(read(database.options(), 1h)).counting.exact);
    database.query("select core.outbox_publish('a', 'shop', 2)");
    const auto next = run(read(database.options(), 1h));

    CHECK(next.counting.counted);
    CHECK_FALSE(next.counting.exact);
    CHECK(next.pending == 0);
}

TEST_CASE("a worker's report arrives with its sign of life", "[outbox]")
{
    const migrated database;

    run(keep_alive(as(database, "cuebox_worker"),
                   {.holding = 3, .delivered = 5'000'000'000, .retried = 2, .failed = 1}));

    CHECK(database.query("select id, holding, delivered, retried, failed from core.workers") ==
          "w|3|5000000000|2|1");
}
