#include "staged_context.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

const handler_options one_try{.retry = {.max_retries = 0}};

}

TEST_CASE("an alert is raised when the dead letter is written, not before", "[actors]")
{
    staged_context billing{{}, one_try};
    billing.mail.failing_late = true;
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();
    billing.relay->hold(statement::exchange);

    billing.mail.desk.open();
    billing.run();

    CHECK(billing.count_said("handled") == 1); // The run is over; the row is not settled yet.
    CHECK(billing.alerts.empty());

    billing.relay->release(statement::exchange);
    billing.run();

    REQUIRE(billing.alerts.size() == 1);
    const telemetry::alert& raised = billing.alerts.front();
    CHECK(raised.row == id);
    CHECK(raised.event_type == "order.placed");
    CHECK(raised.handler_name == "billing.mail");
    CHECK(raised.context == "billing");
    CHECK(raised.generation == 7);
    CHECK_FALSE(raised.trace);
    CHECK(billing.count_said("dead letter") == 1);
}

TEST_CASE("a row that somebody else holds by now raises no alert here", "[actors]")
{
    staged_context billing{{}, one_try};
    billing.mail.failing_late = true;
    billing.mail.desk.close();
    billing.start();
    const auto id = billing.relay->publish(7);
    billing.run();

    billing.relay->take_lease(id);
    billing.mail.desk.open();
    billing.run();

    CHECK(billing.count_said("the row was no longer ours to settle") == 1);
    CHECK(billing.alerts.empty());
}
