#include "worker.hpp"

#include <cuebox/worker/command.hpp>

#include <CLI/CLI.hpp>

namespace cuebox::cli {

void add_worker(CLI::App& app, action& chosen)
{
    auto* command =
        app.add_subcommand("worker", "Run the listening contexts of a supervisor config");
    auto run = worker::add_arguments(*command, {}, CUEBOX_VERSION);
    command->callback([run, &chosen] { chosen = run; });
}

}
