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
