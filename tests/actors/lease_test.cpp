#include "staged_context.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

using numbers = std::vector<std::int64_t>;

}

TEST_CASE("the lease of a row whose handler runs is renewed every third of it", "[actors]")
{
    staged_context billing;
    billing.mail.desk.close();
    billing.start();
    const time_point began = billing.stage.now();
    const auto id = billing.relay->publish(7);

    billing.advance(1000s);

    const auto renewed = billing.relay->times(statement::extend);
    REQUIRE(renewed.size() == 10);
    for (std::size_t i = 0; i < renewed.size(); ++i)
        CHECK(renewed[i] == began + (i + 1) * 100s);
    CHECK(billing.relay->extended == std::vector{id});
    CHECK(billing.relay->row(id).status == row_status::in_flight);
    CHECK(billing.mail.begun.size() == 1);
    billing.mail.desk.open();
    billing.run();
    CHECK(billing.relay->row(id).status == row_status::delivered);
}

TEST_CASE("a context that holds nothing renews nothing", "[actors]")
{
    staged_context billing;
    billing.start();
    billing.relay->publish(7);

    billing.advance(600s);

    CHECK(billing.relay->times(statement::extend).empty());
}

TEST_CASE("a handler has the token of its claim as a fence", "[actors]")
{
    staged_context billing;
    billing.mail.desk.close();
    billing.start();

    const auto id = billing.relay->publish(7);
    billing.run();

    REQUIRE(billing.mail.begun.size() == 1);
    CHECK(billing.mail.begun.front().token == billing.relay->row(id).token);
    billing.mail.desk.open();
}

TEST_CASE("a handler that runs for a while is named to the database", "[actors]")
{
    staged_context billing;
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);

    billing.advance(50ms - 1us);
    CHECK(billing.relay->times(statement::mark_running).empty());
    billing.advance(1us);
    CHECK(billing.relay->running == std::vector{id});
    billing.advance(1s);

    CHECK(billing.relay->times(statement::mark_running).size() == 1); // Said once.
    billing.mail.desk.open();
}

TEST_CASE("a lease that is lost cancels the handler, and its outcome is not settled", "[actors]")
{
    staged_context billing{{.workers = 1}};
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    billing.relay->take_lease(id);
    const auto others = billing.relay->row(id).token;
    billing.advance(100s);

    CHECK(billing.mail.cancelled == numbers{7});
    CHECK(billing.relay->row(id).status == row_status::in_flight);
    CHECK(billing.relay->row(id).token == others);
    CHECK(billing.relay->row(id).row.attempts == 0);
    CHECK(billing.count_said("the row was no longer ours to settle") == 0);
    billing.mail.desk.open();
    billing.relay->publish(8);
    billing.run();
    CHECK(billing.mail.done == numbers{8}); // The worker is free again.
}

TEST_CASE("an outcome that comes after the lease was lost changes nothing, and is said", "[actors]")
{
    staged_context billing;
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    billing.relay->take_lease(id);
    billing.mail.desk.open();
    billing.run();

    CHECK(billing.relay->row(id).status == row_status::in_flight);
    CHECK(billing.count_said("the row was no longer ours to settle") == 1);
}

TEST_CASE("a row that waits for a worker is not run once its lease is lost", "[actors]")
{
    staged_context billing{{.workers = 10, .claim = {.batch_min = 10, .batch_max = 40}}};
    billing.mail.waits_from = 100; // After so many more is claimed than there are workers.
    billing.mail.desk.close();
    const auto rows = billing.relay->publish_many(200);
    billing.start();
    REQUIRE(billing.load().waiting > 0);
    REQUIRE(billing.mail.begun.size() == 110);
    REQUIRE(billing.relay->row(rows[110]).status == row_status::in_flight);

    billing.relay->take_lease(rows[110]);
    billing.advance(100s);
    billing.mail.waits_from = 200;
    billing.mail.desk.open();
    billing.run();

    CHECK(billing.relay->row(rows[110]).status == row_status::in_flight);
    CHECK(billing.relay->count(row_status::delivered) == 199);
    CHECK(billing.mail.begun.size() == 199);
    CHECK(billing.load().in_hand == 0);
}

TEST_CASE("a row that comes back while its handler still runs cancels that one, and runs again",
          "[actors]")
{
    staged_context billing{{.workers = 2}};
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    // The lease runs out while no renewal gets through, and the reaper sets the row free.
    billing.relay->failing = {statement::extend};
    billing.advance(400s);
    billing.relay->failing.clear();

    CHECK(billing.mail.cancelled == numbers{7});
    CHECK(billing.mail.begun.size() == 2);
    CHECK(billing.mail.desk.waiting() == 1);
    billing.advance(600s);
    CHECK(billing.relay->extended == std::vector{id}); // The second run's lease is renewed.
    CHECK(billing.mail.begun.size() == 2);
    billing.mail.desk.open();
    billing.run();
    CHECK(billing.relay->row(id).status == row_status::delivered);
    CHECK(billing.relay->row(id).row.attempts == 1); // The lease that ran out.
    CHECK(billing.load().in_hand == 0);
    CHECK(billing.restarts("claimer") == 0);
}
