#include "outbox.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::schema::test;

namespace {

constexpr std::string_view rates =
    "select delivered, retried, failed, round(delivered_per_second), round(retried_per_second), "
    "round(failed_per_second) from core.metrics_workers";

// The last heartbeat was so long ago; long enough that what a slow machine adds does not show.
constexpr std::string_view age = "update core.workers set counted_at = clock_timestamp() - "
                                 "interval '1000 seconds'";

}

TEST_CASE("a worker's throughput is what it did between its last two heartbeats", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'h', 1)");

    outbox.ask("select core.worker_heartbeat('w', 2, true, 500, 50, 5)");
    CHECK(outbox.ask(rates) == "500|50|5|0|0|0"); // One alone says nothing of the time it took.
    outbox.ask(age);
    outbox.ask("select core.worker_heartbeat('w', 2, true, 100500, 20050, 3005)");

    CHECK(outbox.ask(rates) == "100500|20050|3005|100|20|3");
}

TEST_CASE("totals that start over are another process's", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'h', 1)");
    outbox.ask("select core.worker_heartbeat('w', 0, true, 1000000, 0, 0)");
    outbox.ask(age);

    outbox.ask("select core.worker_heartbeat('w', 0, true, 7000, 0, 0)");

    CHECK(outbox.ask(rates) == "7000|0|0|7|0|0");
}

TEST_CASE("a worker of before that counts nothing is heard all the same", "[schema]")
{
    outbox outbox;
    outbox.ask("select core.worker_register('w', 'ctx', 1, 'h', 1)");

    CHECK(outbox.ask("select core.worker_heartbeat('w', 3, true)") == "t");
    CHECK(outbox.ask("select core.worker_heartbeat('nobody', 3, true)") == "f");

    CHECK(outbox.ask("select holding, listening from core.metrics_workers") == "3|t");
    CHECK(outbox.ask(rates) == "0|0|0|0|0|0");
}
