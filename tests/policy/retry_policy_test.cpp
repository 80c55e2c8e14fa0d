#include <cuebox/policy/retry_policy.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::policy;
using namespace std::chrono_literals;

TEST_CASE("the longest wait doubles from retry to retry up to its cap", "[policy]")
{
    const retry_policy policy;
    struct row
    {
        int used;
        std::chrono::microseconds longest;
    };
    const row table[] = {{0, 1s}, {1, 2s}, {2, 4s}, {3, 8s}, {4, 16s}, {9, 300s}, {10'000, 300s}};

    for (const row& each : table)
        CHECK(policy.delay(each.used, 1.0) == each.longest);
}

TEST_CASE("jitter picks any moment of the wait", "[policy]")
{
    const retry_policy policy;

    CHECK(policy.delay(0, 0.0) == 0s);
    CHECK(policy.delay(0, 0.25) == 250ms);
    CHECK(policy.delay(1, 0.5) == 1s);
}

TEST_CASE("after the first run come five retries, and then the dead letter", "[policy]")
{
    const retry_policy policy;

    for (int used = 0; used < 5; ++used)
        CHECK(std::holds_alternative<retry_in>(
            decide({.terminal = false, .reason = "x"}, used, policy, 0.5)));
    CHECK(decide({.terminal = false, .reason = "x"}, 5, policy, 0.5) == verdict(dead_letter{"x"}));
}

TEST_CASE("a terminal failure is not tried again", "[policy]")
{
    CHECK(decide({.terminal = true, .reason = "no"}, 0, {}, 0.5) == verdict(dead_letter{"no"}));
}

TEST_CASE("a verdict is called what the database calls it", "[policy]")
{
    CHECK(to_string(verdict(delivered{})) == "delivered");
    CHECK(to_string(verdict(retry_in{})) == "retry");
    CHECK(to_string(verdict(dead_letter{})) == "failed");
    CHECK(to_string(verdict(released{})) == "released");
}

TEST_CASE("a retry policy that cannot be followed is told with its field", "[policy]")
{
    const auto field = [](const retry_policy& policy) {
        const auto fault = find_fault(policy);
        return fault ? std::string(fault->first) : "none";
    };

    CHECK(field({}) == "none");
    CHECK(field({.max_retries = 0, .base = 0s, .multiplier = 1, .cap = 0s}) == "none");
    CHECK(field({.max_retries = -1}) == "max_retries");
    CHECK(field({.base = -1s}) == "base");
    CHECK(field({.multiplier = 0}) == "multiplier");
    CHECK(field({.multiplier = 0.99}) == "multiplier");
    CHECK(field({.multiplier = std::numeric_limits<double>::quiet_NaN()}) == "multiplier");
    CHECK(field({.base = 2s, .cap = 1s}) == "cap");
}
