#pragma once

#include <cuebox/pg/conninfo.hpp>
#include <cuebox/worker/config.hpp>
#include <cuebox/worker/setup.hpp>

#include <functional>

namespace cuebox::worker {

class crew;

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
// Nothing is lost either way. Returns 0 after a clean stop, 1 when a context, or an actor of the
// program, gave up. worker::main() does this with the arguments of a command line.
int run(const worker_config& config, const registry& handlers, run_options options);
// With actors of the program's own.
int run(const worker_config& config, const equipment& equip, run_options options);
// With threads that are furnished already; once.
int run(crew& all, run_options options);

}
