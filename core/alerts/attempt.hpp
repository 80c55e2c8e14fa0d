#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/runtime/restart_policy.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace cuebox::alerts {

// What came of one attempt to deliver.
struct attempt
{
    // None: there was no answer, and `failure` says why.
    std::optional<unsigned> status{};
    std::optional<duration> retry_after{};
    std::string failure{};

    std::string describe() const;
};

struct delivery_rules
{
    // How often an alert is tried in all.
    int attempts_max = 4;
    // Before another attempt.
    cuebox::backoff backoff{
        .base = std::chrono::seconds(1), .multiplier = 2, .cap = std::chrono::seconds(30)};
    // The longest that a receiver's Retry-After is heeded.
    duration retry_after_max = std::chrono::minutes(5);
};

enum class drop_reason
{
    full,      // too many wait already
    refused,   // the receiver says that it will never take it
    exhausted, // tried as often as the rules allow
    stopped,   // the process ended first
};
inline constexpr std::size_t drop_reasons = 4;

std::string_view to_string(drop_reason reason) noexcept;

struct delivered
{};
struct retry_in
{
    duration delay;
};
struct give_up
{
    drop_reason why;
};
using next_step = std::variant<delivered, retry_in, give_up>;

// Pure: after `made` attempts, of which this is the last; `jitter` in [0, 1).
next_step decide(const attempt& last, int made, const delivery_rules& rules, double jitter);

// Seconds or a date, as HTTP has it.
std::optional<duration> parse_retry_after(std::string_view text, event::timestamp now);

}
