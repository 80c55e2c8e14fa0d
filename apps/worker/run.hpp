#pragma once

#include <cuebox/pg/conninfo.hpp>
#include <cuebox/worker/config.hpp>
#include <cuebox/worker/setup.hpp>

#include <functional>

namespace cuebox::worker {

class crew;

struct run_options
{
    // An empty conninfo is what libpq makes of PGHOST and so on.
    pg::connect_options database{};
    // Reads the config again: on SIGHUP. Empty: SIGHUP is ignored.
    std::function<worker_config()> reread{};
    // Warnings, errors and dead letters on stderr unless given; a logger{} says nothing.
    telemetry::logger log = telemetry::stderr_log();
    // Of the program, for metrics, alerts and traces.
    std::string version{};
};

// Runs the contexts until SIGTERM or SIGINT, which lets handlers finish; a second one ends at once.
// Nothing is lost either way. Returns 0 after a clean stop, 1 when a context, or an actor of the
// program, gave up. Throws before anything runs: config::error for what the config has wrong,
// pg::error or std::runtime_error for what the database has. worker::main() does this with the
// arguments of a command line.
int run(const worker_config& config, const registry& handlers, run_options options);
// With actors of the program's own.
int run(const worker_config& config, const equipment& equip, run_options options);
// With threads that are furnished already; once.
int run(crew& all, run_options options);

}
