#pragma once

#include <cuebox/pg/conninfo.hpp>
#include <cuebox/worker/config.hpp>

#include <functional>

namespace cuebox::worker {

struct run_options
{
    pg::connect_options database{};
    // Reads the config again: on SIGHUP. Empty: SIGHUP is ignored.
    std::function<worker_config()> reread{};
    telemetry::logger log{};
    // Of the program, for metrics, alerts and traces.
    std::string version{};
};

// Runs the contexts until SIGTERM or SIGINT, which lets handlers finish; a second one ends at once.
// Nothing is lost either way. Returns 0 after a clean stop, 1 when a context gave up.
int run(const worker_config& config, const registry& handlers, run_options options);

}
