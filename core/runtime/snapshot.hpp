#pragma once

#include <cuebox/runtime/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox {

enum class actor_state
{
    waiting,    // not started yet
    starting,   // its start() runs
    running,    // its run() runs
    stopping,   // asked to stop, not done yet
    restarting, // between two lives
    ended,      // gone for good
};

std::string_view to_string(actor_state state) noexcept;

// An actor and what is below it, as they were at one moment.
struct snapshot
{
    std::string name{};
    std::string kind{};
    actor_state state = actor_state::waiting;
    std::uint64_t restarts = 0;
    std::size_t mailbox_depth = 0;
    std::size_t mailbox_peak = 0;
    duration uptime{};
    std::string last_failure{};
    std::vector<snapshot> children{};
};

// The tree as text, a line per actor.
std::string to_string(const snapshot& tree);

}
