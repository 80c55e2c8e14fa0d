#include "bench.hpp"
#include "contracts.hpp"
#include "demo.hpp"
#include "denied.hpp"
#include "dlq.hpp"
#include "events.hpp"
#include "generation.hpp"
#include "migrate.hpp"
#include "publish.hpp"
#include "status.hpp"
#include "sweep.hpp"
#include "task.hpp"
#include "url.hpp"
#include "worker.hpp"

#include <cuebox/cli/command.hpp>

#include <CLI/CLI.hpp>

int main(int argc, char** argv)
{
    using namespace cuebox;

    CLI::App app{"Cuebox: coroutine actors that move events out of a Postgres outbox into handlers",
                 "cuebox"};
    app.set_version_flag("--version", "cuebox " CUEBOX_VERSION);
    app.require_subcommand(0, 1);

    cli::action chosen;
    cli::add_demo(app, chosen);
    cli::add_migrate(app, chosen);
    cli::add_publish(app, chosen);
    cli::add_worker(app, chosen);
    cli::add_status(app, chosen);
    cli::add_events(app, chosen);
    cli::add_dlq(app, chosen);
    cli::add_generation(app, chosen);
    cli::add_drain(app, chosen);
    cli::add_sweep(app, chosen);
    cli::add_task(app, chosen);
    cli::add_contracts(app, chosen);
    cli::add_url(app, chosen);
    cli::add_bench(app, chosen);

    return cli::run_program(app, argc, argv, chosen, &cli::in_words);
}
