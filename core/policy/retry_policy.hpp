#pragma once

#include <cuebox/policy/failure.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace cuebox {

// When a failed event is tried again: after a random time up to min(cap, base · multiplier^n), for
// its retry n = 0, 1, …
struct retry_policy
{
    // Retries after the first run; when the last one fails the event is a dead letter.
    int max_retries = 5;
    // The longest wait before the first retry.
    std::chrono::nanoseconds base = std::chrono::seconds(1);
    // From each retry to the next.
    double multiplier = 2;
    // No wait is longer.
    std::chrono::nanoseconds cap = std::chrono::minutes(5);

    // Pure: `jitter` in [0, 1) picks the moment within the wait.
    std::chrono::microseconds delay(int retries_used, double jitter) const noexcept;

    bool operator==(const retry_policy&) const = default;
};

// The first field that breaks a rule, and the rule; none when the policy can be followed.
std::optional<std::pair<std::string_view, std::string_view>> find_fault(const retry_policy& policy);

namespace policy {

struct delivered
{
    bool operator==(const delivered&) const = default;
};
struct retry_in
{
    std::chrono::microseconds delay{};
    std::string reason{};
    std::string handler{};
    bool operator==(const retry_in&) const = default;
};
struct dead_letter
{
    std::string reason{};
    std::string handler{};
    bool operator==(const dead_letter&) const = default;
};
// Given back untouched: the handler was told to stop, and no attempt is burnt.
struct released
{
    bool operator==(const released&) const = default;
};

// What becomes of a row.
using verdict = std::variant<delivered, retry_in, dead_letter, released>;

// "delivered", "retry", "failed" or "released": as the database calls it.
std::string_view to_string(const verdict& verdict) noexcept;

// Pure, so that the whole policy is a table of test cases.
verdict decide(failure why, int retries_used, const retry_policy& policy, double jitter);

}

}
