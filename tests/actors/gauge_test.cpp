#include "staged_context.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view queue_fills =
    "the notification queue fills up: some listener does not read";
constexpr std::string_view queue_empties = "the notification queue has room again";
constexpr std::string_view stranded =
    "events are left in a generation that is on its way out: drain it";
constexpr std::string_view nothing_stranded =
    "no events are left in generations that are on their way out";
constexpr std::string_view unrouted = "events wait that nobody listens for";
constexpr std::string_view all_routed = "somebody listens for every event that waits";

}

TEST_CASE("a gauge says when something begins and when it is over, and not in between", "[actors]")
{
    staged_context billing;
    billing.start();
    outbox::gauges& gauges = billing.relay->gauges;
    billing.advance(60s);
    CHECK(billing.count_said(queue_fills) == 0);

    gauges.counting.counted = true;
    gauges.notify_queue_usage = 0.25;
    gauges.stranded = {{.generation = 1, .deployment = "retired", .events = 3}};
    gauges.unrouted = {{.generation = 2, .event_type = "unheard", .events = 4}};
    billing.advance(300s);
    for (const auto begun : {queue_fills, stranded, unrouted})
        CHECK(billing.count_said(begun) == 1);
    for (const auto over : {queue_empties, nothing_stranded, all_routed})
        CHECK(billing.count_said(over) == 0);

    gauges.notify_queue_usage = 0.24;
    gauges.stranded.clear();
    gauges.unrouted.clear();
    billing.advance(300s);
    for (const auto over : {queue_empties, nothing_stranded, all_routed})
        CHECK(billing.count_said(over) == 1);

    gauges.notify_queue_usage = 0.5;
    billing.advance(60s);
    CHECK(billing.count_said(queue_fills) == 2);
    CHECK(billing.count_said(stranded) == 1);
}

TEST_CASE("a gauge that cannot count does not take it for an end", "[actors]")
{
    staged_context billing;
    billing.start();
    billing.relay->gauges.counting.counted = true;
    billing.relay->gauges.unrouted = {{.generation = 2, .event_type = "unheard", .events = 4}};
    billing.advance(60s);
    REQUIRE(billing.count_said(unrouted) == 1);

    billing.relay->failing = {statement::read_gauges};
    billing.advance(60s);
    billing.relay->failing.clear();
    const auto before = std::exchange(billing.relay->gauges, {}); // Somebody counts anew.
    billing.advance(60s);
    billing.relay->gauges = before;
    billing.advance(60s);

    CHECK(billing.count_said(all_routed) == 0);
    CHECK(billing.count_said(unrouted) == 1);
}

TEST_CASE("a worker's sign of life says what it holds and what became of the rest", "[actors]")
{
    staged_context billing;
    billing.start();
    billing.relay->publish_many(3);
    billing.run();
    billing.mail.desk.close();
    billing.relay->publish_many(2);

    billing.advance(2s);
    CHECK(billing.relay->report.holding == 2);
    CHECK(billing.relay->report.delivered == 3);
    CHECK(billing.relay->report.retried == 0);

    billing.mail.desk.open();
    billing.run();
    billing.mail.failing = true;
    billing.relay->publish_many(2);
    billing.run();
    billing.relay->line_refused = true; // It says so also while its line is down.
    billing.relay->break_line();
    billing.advance(2s);
    CHECK(billing.relay->report.holding == 0);
    CHECK(billing.relay->report.delivered == 5);
    CHECK(billing.relay->report.retried >= 2);
}
