#pragma once

#include <cuebox/actors/messages.hpp>
#include <cuebox/actors/vitals.hpp>
#include <cuebox/runtime/snapshot.hpp>
#include <cuebox/telemetry/exposition.hpp>

#include <chrono>
#include <optional>
#include <span>
#include <string>

namespace cuebox::actors {

// How a context is doing, as of one moment. What is not known yet is left out.
struct context_health
{
    std::string context{};
    std::int64_t generation = 0;
    // Several of one name may run in a process: the first, the second…
    std::size_t copy = 1;
    bool ended = false;
    snapshot tree{};
    bool listening = false;
    bool polling = false;
    // Since the LISTEN connection was proved to be alive, and since the database was last heard of
    // by any way.
    std::optional<duration> heartbeat_age{};
    std::optional<duration> silence{};
    std::string trouble{};
    // Its thread stands still now.
    std::optional<stalled> stall{};
    std::optional<claimer_load> load{};
    std::optional<outbox::gauges> gauges{};
    // Since those were read.
    duration gauges_age{};
};

// Empty: it is in touch with the database and takes events, by NOTIFY or by polling. Else why not,
// in words. `silence_max` is how long the database may not have been heard of.
std::string why_not_ready(const context_health& health, duration silence_max);

// All that these know as metrics. What is of the whole database is told once, by whoever counted it
// last.
void print_health(telemetry::exposition& out, std::span<const context_health> all);

}
