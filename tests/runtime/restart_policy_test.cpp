#include <cuebox/runtime/restart_policy.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace std::chrono_literals;

namespace {

constexpr time_point at(duration since_start)
{
    return time_point(since_start);
}

}

TEST_CASE("the wait before a restart doubles from failure to failure up to its cap")
{
    const backoff policy{.base = 100ms, .multiplier = 2, .cap = 1s};
    struct row
    {
        std::size_t failures;
        duration shortest;
    };
    const row table[] = {{0, 50ms}, {1, 100ms}, {2, 200ms}, {3, 400ms}, {4, 500ms}, {5, 500ms}};

    for (const row& each : table)
        REQUIRE(policy.delay(each.failures, 0) == each.shortest);
}

TEST_CASE("jitter spreads the wait over its upper half")
{
    const backoff policy{.base = 100ms, .multiplier = 2, .cap = 1s};

    REQUIRE(policy.delay(0, 0.0) == 50ms);
    REQUIRE(policy.delay(0, 0.5) == 75ms);
    REQUIRE(policy.delay(0, 0.999) < 100ms);
    REQUIRE(policy.delay(9, 0.999) < 1s);
}

TEST_CASE("a very long streak of failures waits for the cap and no longer")
{
    const backoff policy{.base = 1ms, .multiplier = 10, .cap = 10s};

    for (std::size_t failures : {100ul, 1'000ul, 1'000'000ul, intensity::unlimited})
        REQUIRE(policy.delay(failures, 0) == 5s);
}

TEST_CASE("a multiplier of one waits the same each time, and a base of nothing never waits")
{
    const backoff steady{.base = 20ms, .multiplier = 1, .cap = 1s};
    const backoff eager{.base = 0ms};

    REQUIRE(steady.delay(7, 0) == 10ms);
    REQUIRE(eager.delay(50, 0.9) == 0ms);
}

TEST_CASE("the meter tolerates exactly as many restarts as it was told")
{
    restart_meter meter({.restarts = 3, .within = 10s});

    REQUIRE(meter.record(at(0s)));
    REQUIRE(meter.record(at(1s)));
    REQUIRE(meter.record(at(2s)));
    REQUIRE_FALSE(meter.record(at(3s)));
}

TEST_CASE("the meter forgets restarts that are long ago")
{
    restart_meter meter({.restarts = 2, .within = 10s});
    REQUIRE(meter.record(at(0s)));
    REQUIRE(meter.record(at(5s)));

    const bool third = meter.record(at(11s));
    const bool fourth = meter.record(at(12s));

    REQUIRE(third);
    REQUIRE_FALSE(fourth);
}

TEST_CASE("a meter of none refuses the first restart and an unlimited one refuses none")
{
    restart_meter strict({.restarts = 0});
    restart_meter lenient({.restarts = intensity::unlimited, .within = 1h});

    REQUIRE_FALSE(strict.record(at(0s)));
    for (int i = 0; i < 10'000; ++i)
        REQUIRE(lenient.record(at(0s)));
}

TEST_CASE("a streak counts failures in a row and starts anew after calm")
{
    failure_streak streak;

    REQUIRE(streak.record(at(0s), 30s) == 0);
    REQUIRE(streak.record(at(1s), 30s) == 1);
    REQUIRE(streak.record(at(30s), 30s) == 2);
    REQUIRE(streak.record(at(60s), 30s) == 0);
    REQUIRE(streak.record(at(61s), 30s) == 1);
}

TEST_CASE("an intensity or a backoff that cannot be followed is told with its field")
{
    const auto field = [](const auto& rules) {
        const auto fault = find_fault(rules);
        return fault ? std::string(fault->first) : "none";
    };

    CHECK(field(intensity{}) == "none");
    CHECK(field(intensity{.restarts = 0}) == "none");
    CHECK(field(intensity{.within = 0s}) == "within");
    CHECK(field(backoff{}) == "none");
    CHECK(field(backoff{.base = 0s, .cap = 0s, .calm = 0s}) == "none");
    CHECK(field(backoff{.base = -1s}) == "base");
    CHECK(field(backoff{.multiplier = 0}) == "multiplier");
    CHECK(field(backoff{.base = 2s, .cap = 1s}) == "cap");
    CHECK(field(backoff{.calm = -1s}) == "calm");
}
