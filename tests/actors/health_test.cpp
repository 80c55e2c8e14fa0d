#include <cuebox/actors/health.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors;
using namespace std::chrono_literals;

namespace {

context_health listening_context()
{
    context_health health{.context = "billing", .generation = 7};
    health.listening = true;
    health.heartbeat_age = 1s;
    health.silence = 1s;
    return health;
}

std::string print(const std::vector<context_health>& all)
{
    telemetry::exposition out;
    print_health(out, all);
    return std::move(out).take();
}

bool has(const std::string& text, std::string_view line)
{
    return text.find(line) != std::string::npos;
}

}

TEST_CASE("a context is ready while it hears of the database, and says why when it does not")
{
    CHECK(why_not_ready(listening_context(), 10s).empty());

    auto silent = listening_context();
    silent.silence = 11s;
    silent.trouble = "connection refused";
    CHECK(why_not_ready(silent, 10s) ==
          "context billing has no connection to the database: connection refused");

    auto ended = listening_context();
    ended.ended = true;
    CHECK(why_not_ready(ended, 10s) == "context billing has ended");
}

TEST_CASE("a context that polls is ready as long as it hears of the database by another way")
{
    auto polling = listening_context();
    polling.listening = false;
    polling.polling = true;
    polling.heartbeat_age = 1h; // The line is down.
    CHECK(why_not_ready(polling, 10s).empty());

    polling.silence = 1h;
    CHECK(!why_not_ready(polling, 10s).empty());
}

TEST_CASE("a context that has not connected yet is not ready, and has no age to tell")
{
    context_health early{.context = "billing"};

    CHECK(!why_not_ready(early, 10s).empty());
    CHECK(!has(print({early}), "cuebox_listen_heartbeat_age_seconds{"));
    CHECK(!has(print({early}), "cuebox_notify_queue_usage_ratio"));
}

TEST_CASE("what is of the whole database is told once, by who counted it last")
{
    auto early = listening_context();
    early.gauges.emplace();
    early.gauges->counting = {.counted = true, .age_seconds = 20};
    early.gauges->backlog = {
        {.generation = 7, .status = "pending", .event_type = "order.placed", .events = 5}};
    auto late = early;
    late.context = "shipping";
    late.gauges->counting.age_seconds = 3;
    late.gauges->backlog.front().events = 8;
    late.gauges->backlog.push_back(
        {.generation = 7, .status = "pending", .event_type = "order.paid", .events = 2});
    auto unread = listening_context();
    unread.context = "mail";
    unread.gauges.emplace();

    const std::string text = print({early, late, unread});

    CHECK(has(text, "cuebox_backlog_rows{generation=\"7\",status=\"pending\"} 10\n"));
    CHECK(has(text, "event_type=\"order.paid\"} 2\n"));
    CHECK(!has(text, "} 5\n"));
    CHECK(has(text, "cuebox_backlog_age_seconds 3\n"));
}

TEST_CASE("a reading grows older while nobody reads again, and then another's is told")
{
    auto once = listening_context();
    once.gauges.emplace();
    once.gauges->counting = {.counted = true, .age_seconds = 1};
    once.gauges->backlog = {{.generation = 7, .status = "pending", .events = 5}};
    once.gauges_age = 1h;
    auto lately = once;
    lately.gauges->counting.age_seconds = 20;
    lately.gauges->backlog.front().events = 8;
    lately.gauges_age = 2s;

    const std::string text = print({once, lately});

    CHECK(has(text, "cuebox_backlog_rows{generation=\"7\",status=\"pending\"} 8\n"));
    CHECK(has(text, "cuebox_backlog_age_seconds 22\n"));
}

TEST_CASE("the workers of a crew are told of as one actor")
{
    auto health = listening_context();
    snapshot crew{.name = "workers", .restarts = 1, .mailbox_depth = 2};
    crew.children = {{.name = "worker-1", .restarts = 2, .mailbox_depth = 3},
                     {.name = "worker-2", .mailbox_depth = 4}};
    health.tree.children = {{.name = "claimer", .mailbox_depth = 6}, crew};

    const std::string text = print({health});

    CHECK(has(text,
              "cuebox_actor_restarts_total{context=\"billing\",copy=\"1\",actor=\"workers\"} 3\n"));
    CHECK(has(text, "cuebox_mailbox_depth{context=\"billing\",copy=\"1\",actor=\"workers\"} 9\n"));
    CHECK(has(text, "cuebox_mailbox_depth{context=\"billing\",copy=\"1\",actor=\"claimer\"} 6\n"));
}
