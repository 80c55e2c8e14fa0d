#include "support/migrated.hpp"
#include "support/session.hpp"

#include <cuebox/event/encode.hpp>
#include <cuebox/operations/status.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cuebox;
using namespace cuebox::outbox::test;

namespace {

pg::awaitable<operations::status> look(pg::connect_options where,
                                       operations::status_options options)
{
    pg::connection database = co_await pg::connect(where);
    co_return co_await operations::read_status(database, options);
}

operations::status exactly(const migrated& database)
{
    return run(look(database.options(), {.exact = true}));
}

bool warns(const operations::status& seen, std::string_view code)
{
    return std::ranges::any_of(seen.warnings,
                               [code](const auto& each) { return each.code == code; });
}

}

TEST_CASE("a status tells of an empty outbox that there is nothing", "[operations]")
{
    const migrated database;

    const auto seen = exactly(database);

    CHECK(seen.counting.counted);
    CHECK(seen.counting.exact);
    CHECK(seen.totals.pending == 0);
    CHECK(seen.backlog.empty());
    CHECK(seen.listeners.empty());
    CHECK_FALSE(seen.totals.oldest_seconds);
    REQUIRE(seen.storage.size() == 2);
    CHECK(seen.storage.front().relation == "outbox");
    CHECK(seen.storage.front().bytes > 0);
    CHECK(seen.sees_durations);
}

TEST_CASE("a status tells what waits, where, since when, and for whom", "[operations]")
{
    const migrated database;
    database.query("select core.allocate_generation('one'), core.allocate_generation('two'), "
                   "core.subscribe('billing', 1, '{order.placed}'), "
                   "core.subscribe('billing', 2, '{order.placed}')");
    database.query("select core.outbox_publish('order.placed', 'shop', 1) "
                   "from generate_series(1, 3)");
    database.query("select core.outbox_publish('order.placed', 'shop', 2, p_class => 'bulk', "
                   "p_available_at => now() + interval '1 hour')");
    database.query("select core.outbox_publish('unheard', 'shop', 2)");
    database.query("update core.outbox set status = 'failed', failed_at = now() where id in "
                   "(select id from core.outbox where generation = 1 limit 1)");
    database.query("select core.retire_generation(1)");

    const auto seen = exactly(database);

    CHECK(seen.totals.pending == 4);
    CHECK(seen.totals.waiting == 1);
    CHECK(seen.totals.dead_letters == 1);
    CHECK(seen.totals.stranded == 2);
    CHECK(seen.totals.unrouted == 1);
    REQUIRE(seen.totals.oldest_seconds);
    REQUIRE(seen.backlog.size() == 3);
    CHECK(seen.backlog[0].generation == 1);
    CHECK(seen.backlog[0].events == 2);
    CHECK(seen.backlog[1].channel == "outbox_gen_2");
    CHECK(seen.backlog[2].channel == "outbox_gen_2_bulk");
    REQUIRE(seen.generations.size() == 2);
    CHECK(seen.generations[0].label == "two");
    CHECK(seen.generations[1].status == "draining");
    CHECK(warns(seen, "stranded"));
    CHECK(warns(seen, "unrouted"));
    CHECK(warns(seen, "dead_letters"));
    CHECK(warns(seen, "no_worker"));
}

TEST_CASE("a status has the workers, and what the living ones do in a second", "[operations]")
{
    const migrated database;
    cuebox::test::session worker{database.conninfo()};
    worker.ask("select core.worker_register('w', 'billing', 1, 'h', 1)");
    worker.ask("select core.worker_heartbeat('w', 3, true, 0, 0, 0)");
    worker.ask("update core.workers set counted_at = clock_timestamp() - interval '1000 s'");
    worker.ask("select core.worker_heartbeat('w', 3, true, 100000, 20000, 3000)");
    const auto near = [](double rate, double wanted) {
        return rate > wanted * 0.9 && rate <= wanted;
    };

    const auto alive = exactly(database);
    REQUIRE(alive.listeners.size() == 1);
    CHECK(alive.listeners[0].alive == true);
    CHECK(alive.listeners[0].listening);
    CHECK(alive.listeners[0].holding == 3);
    CHECK(near(alive.throughput.delivered_per_second, 100));
    CHECK(near(alive.throughput.retried_per_second, 20));
    CHECK(near(alive.throughput.failed_per_second, 3));
    CHECK_FALSE(warns(alive, "silent_worker"));

    // Its session gives up the lock; what was said last is not what is done now.
    worker.ask("select pg_advisory_unlock_all()");
    const auto dead = exactly(database);
    REQUIRE(dead.listeners.size() == 1);
    CHECK(dead.listeners[0].alive == false);
    CHECK(dead.throughput.delivered_per_second == 0);
    CHECK(warns(dead, "silent_worker"));
}

TEST_CASE("a status says how old its count is, and that it was not the one to count",
          "[operations]")
{
    const migrated database;
    exactly(database);
    database.query("update core.backlog_reading set taken_at = taken_at - interval '1 hour', "
                   "took = '1 hour'");
    database.query("select core.outbox_publish('order.placed', 'shop', 1)");

    const auto stored = run(look(database.options(), {.age_max = {}}));
    const auto counted = exactly(database);

    CHECK_FALSE(stored.counting.exact);
    CHECK(stored.counting.age_seconds >= 3600);
    CHECK(stored.counting.took_seconds == 3600);
    CHECK(stored.totals.pending == 0);
    CHECK(counted.counting.exact);
    CHECK(counted.totals.pending == 1);
}

TEST_CASE("a status is read with the rights of an operator, a worker's or metrics'", "[operations]")
{
    const migrated database;
    for (const std::string role : {"cuebox_operator", "cuebox_metrics"}) {
        CAPTURE(role);
        pg::connect_options where = database.options();
        where.conninfo += " options='-c role=" + role + "'";
        CHECK(run(look(where, {.exact = true})).counting.exact);
    }
}

TEST_CASE("a status can be written as JSON, however many groups there are", "[operations]")
{
    const migrated database;
    database.query("insert into core.outbox (id, event_type, source, generation, payload, quiet) "
                   "select gen_random_uuid(), repeat('long', 60) || n, 'shop', 1, '{}', true "
                   "from generate_series(1, 2000) n");

    std::string text;
    event::encode_into(text, exactly(database), {.bytes = 16 * 1024 * 1024});

    CHECK(text.size() > event::payload_max);
    CHECK(text.starts_with("{\"at\":\""));
    CHECK(text.find("\"pending\":2000") != text.npos);
}
