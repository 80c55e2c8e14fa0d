#pragma once

#include <cuebox/actors/messages.hpp>
#include <cuebox/runtime/snapshot.hpp>
#include <cuebox/telemetry/exposition.hpp>

#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace cuebox::actors {

// How a context is doing, as of one moment. What did not answer is left out.
struct context_health
{
    std::string context{};
    std::int64_t generation = 0;
    // Several of one name run in a process when it has more threads than contexts.
    std::size_t thread = 1;
    bool ended = false;
    snapshot tree{};
    std::optional<line_health> line{};
    std::optional<claimer_load> load{};
    std::optional<outbox::gauges> gauges{};
};

// Empty: it takes events. Else why it does not, in words. `silence_max` is how long the database
// may not have been heard of.
std::string why_not_ready(const context_health& health, duration silence_max);

// All that these know as metrics. What is of the whole database is told once, by whoever counted it
// last.
void print_health(telemetry::exposition& out, std::span<const context_health> all);

}
