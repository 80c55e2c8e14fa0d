#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/uuid.hpp>
#include <cuebox/runtime/clock.hpp>

#include <functional>
#include <string_view>

namespace cuebox::handling {

// One handler is through with one event.
struct handled_note
{
    event::uuid event_id{};
    std::string_view event_type{};
    std::string_view handler{};
    // "delivered", "retry", "failed", "released" or "duplicate".
    std::string_view result{};
    // Retries used before this run.
    int attempts = 0;
    event::timestamp occurred_at{};
    // When the handler began, and how long it took.
    event::timestamp began_at{};
    duration took{};
};

// Told of every run, on the loop of whoever ran it: for metrics, progress displays, benchmarks. It
// must not throw, and should not take long.
using observer = std::function<void(const handled_note&)>;

}
