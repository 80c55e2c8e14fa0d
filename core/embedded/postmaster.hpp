#pragma once

#include <cuebox/embedded/watcher.hpp>

namespace cuebox::embedded {

// Starts postgres and waits until it accepts connections. Returns its pid, or 0 if somebody else
// has the port. Throws with the end of the log if it does not come up.
pid_t start_postmaster(watcher& watcher, const std::filesystem::path& data,
                       const std::filesystem::path& log, int port,
                       std::chrono::milliseconds longest);

// SIGINT: a fast shutdown, and an immediate one when that takes too long. SIGQUIT: immediate.
// Returns when it has ended.
void stop_postmaster(watcher& watcher, pid_t pid, int signal, std::chrono::milliseconds longest);

}
