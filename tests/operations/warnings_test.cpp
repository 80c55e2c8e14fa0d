#include <cuebox/operations/warnings.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cuebox;
using namespace cuebox::operations;

namespace {

std::vector<std::string> codes(const status& seen)
{
    std::vector<std::string> found;
    for (const warning& each : find_warnings(seen))
        found.push_back(each.code);
    return found;
}

std::string only_sentence(const status& seen)
{
    const auto found = find_warnings(seen);
    REQUIRE(found.size() == 1);
    return found.front().sentence;
}

bool says(const std::string& text, std::string_view part)
{
    return text.find(part) != text.npos;
}

listener well()
{
    return {.id = "billing@host:1:abcdef",
            .context = "billing",
            .generation = 7,
            .uptime_seconds = 60,
            .heartbeat_age_seconds = 1,
            .alive = true,
            .listening = true};
}

}

TEST_CASE("an outbox that is well has no warnings", "[operations]")
{
    status seen;
    CHECK(codes(seen).empty());

    seen.listeners = {well()};
    seen.backlog = {{.generation = 7, .status = "pending", .events = 1'000'000}};
    seen.notify_queue_usage = 0.24;
    seen.xmin_holders = {
        {.kind = "backend", .identity = "1", .xmin_age = 1'000'000, .seconds = 300}};

    CHECK(codes(seen).empty());
}

TEST_CASE("a worker that is gone, deaf or missing is a warning", "[operations]")
{
    struct row
    {
        double heartbeat_age = 1;
        std::optional<bool> alive = true;
        bool listening = true;
        double uptime = 60;
        std::vector<std::string> expected{};
    };
    const row table[] = {
        {},
        {.heartbeat_age = 10},
        {.heartbeat_age = 11, .expected = {"silent_worker", "no_worker"}},
        {.alive = false, .expected = {"silent_worker", "no_worker"}},
        {.alive = std::nullopt},
        {.listening = false, .expected = {"deaf_worker"}},
        {.listening = false, .uptime = 5}, // Nobody has heard it say so yet.
    };

    for (const row& each : table) {
        status seen;
        seen.backlog = {{.generation = 7, .status = "pending", .events = 3}};
        seen.listeners = {well()};
        seen.listeners[0].heartbeat_age_seconds = each.heartbeat_age;
        seen.listeners[0].alive = each.alive;
        seen.listeners[0].listening = each.listening;
        seen.listeners[0].uptime_seconds = each.uptime;
        CHECK(codes(seen) == each.expected);
    }
}

TEST_CASE("events that are stranded, unrouted or dead say what to do with them", "[operations]")
{
    status stranded;
    stranded.generations = {{.generation = 9, .status = "active"},
                            {.generation = 7, .status = "retired"}};
    stranded.backlog = {{.generation = 7, .status = "pending", .events = 3}};
    stranded.stranded = {{.generation = 7, .deployment = "retired", .events = 3}};
    CHECK(says(only_sentence(stranded), "3 events left in generation 7, which is retired"));
    CHECK(says(only_sentence(stranded), "`cuebox drain --from 7 --to 9`"));

    status unrouted;
    unrouted.unrouted = {
        {.generation = 7, .event_type = "order.placed", .target = "billing", .events = 1}};
    CHECK(says(only_sentence(unrouted), "1 event of type order.placed for billing"));

    status dead;
    dead.totals.dead_letters = 2;
    CHECK(says(only_sentence(dead), "2 dead letters: see why with `cuebox dlq list`"));
}

TEST_CASE("of many warnings of a kind the first few are told, and how many there are",
          "[operations]")
{
    status seen;
    for (int i = 0; i < 10; ++i)
        seen.unrouted.push_back({.generation = 7, .event_type = std::to_string(i), .events = 1});

    const auto found = find_warnings(seen);

    REQUIRE(found.size() == 4);
    CHECK(says(found.back().sentence, "and 7 more"));
}

TEST_CASE("a notification queue that is a quarter full is a warning", "[operations]")
{
    status seen;
    seen.notify_queue_usage = 0.25;

    CHECK(says(only_sentence(seen), "25 % full"));
}

TEST_CASE("an old snapshot is a warning that names its holder, and how it ends", "[operations]")
{
    struct row
    {
        outbox::xmin_holder holder{};
        std::string_view named{};
        std::string_view remedy{};
    };
    const row table[] = {
        {{.kind = "backend",
          .identity = "4711",
          .role = "report",
          .application = "psql",
          .state = "idle in transaction",
          .xmin_age = 5,
          .seconds = 301},
         "backend 4711 (psql, report, idle in transaction), 5 transactions old, open for 5 min,",
         "`select pg_terminate_backend(4711)`"},
        {{.kind = "backend", .identity = "4711", .xmin_age = 1'000'001},
         "backend 4711, 1000001 transactions old, keeps",
         "pg_terminate_backend(4711)"},
        {{.kind = "prepared transaction", .identity = "it's", .database = "shop", .seconds = 1e6},
         "prepared transaction \"it's\"",
         "`rollback prepared 'it''s'` in database shop"},
        {{.kind = "replication slot", .identity = "gone", .xmin_age = 2'000'000},
         "replication slot \"gone\"",
         "`select pg_drop_replication_slot('gone')`"},
        {{.kind = "standby", .identity = "9", .xmin_age = 2'000'000},
         "standby 9",
         "hot_standby_feedback"},
    };

    for (const row& each : table) {
        status seen;
        seen.xmin_holders = {each.holder};
        const std::string sentence = only_sentence(seen);
        CAPTURE(sentence);
        CHECK(says(sentence, each.named));
        CHECK(says(sentence, each.remedy));
    }
}

TEST_CASE("an age is told in the unit that fits", "[operations]")
{
    CHECK(print_age(-1) == "0 s");
    CHECK(print_age(119.4) == "119 s");
    CHECK(print_age(120) == "2 min");
    CHECK(print_age(7'199) == "119 min");
    CHECK(print_age(7'200) == "2 h");
    CHECK(print_age(172'800) == "2 days");
}
