#pragma once

#include <cuebox/runtime/clock.hpp>

#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

namespace cuebox {

// How many restarts within how long a supervisor tolerates before it gives up and escalates.
struct intensity
{
    static constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

    // Restarts tolerated…
    std::size_t restarts = 5;
    // …within this time.
    duration within = std::chrono::seconds(30);
};

// How long to wait before a restart: exponential, with jitter over its upper half.
struct backoff
{
    // Before the first restart.
    duration base = std::chrono::milliseconds(50);
    // From each failure to the next.
    double multiplier = 2;
    // Never longer than this.
    duration cap = std::chrono::seconds(10);
    // After so long without a failure the next one starts at base again.
    duration calm = std::chrono::seconds(30);

    // Pure: `failures` in a row before this one, `jitter` in [0, 1).
    duration delay(std::size_t failures, double jitter) const noexcept;
};

// The first field that breaks a rule, and the rule; none when it can be followed.
std::optional<std::pair<std::string_view, std::string_view>> find_fault(const intensity& limit);
std::optional<std::pair<std::string_view, std::string_view>> find_fault(const backoff& pause);

// Counts restarts against an intensity.
class restart_meter
{
public:
    explicit restart_meter(intensity limit) noexcept : limit_(limit) {}

    // Records one; false when that is one too many.
    bool record(time_point now);

private:
    intensity limit_;
    std::deque<time_point> recent_;
};

// Counts failures in a row, forgetting them after calm.
class failure_streak
{
public:
    // The number of failures before this one that still count.
    std::size_t record(time_point now, duration calm) noexcept;

private:
    std::size_t failures_ = 0;
    time_point last_{};
};

}
