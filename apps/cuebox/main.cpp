#include "bench.hpp"
#include "command.hpp"
#include "contracts.hpp"
#include "demo.hpp"
#include "dlq.hpp"
#include "events.hpp"
#include "generation.hpp"
#include "migrate.hpp"
#include "printable.hpp"
#include "publish.hpp"
#include "status.hpp"
#include "sweep.hpp"
#include "task.hpp"
#include "terminal.hpp"
#include "worker.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <string>

namespace {

int complain(const char* what, const char* advice, int code)
{
    const std::string shown = cuebox::cli::printable_lines(what);
    std::fprintf(stderr, "cuebox: %s%s\n", shown.c_str(), advice);
    return code;
}

// What is still in a buffer may find the disk full, or nobody to read it.
int with_all_written(int code)
{
    if (code != cuebox::cli::done || cuebox::cli::output_holds())
        return code;
    return complain(cuebox::cli::output_lost, "", cuebox::cli::failed);
}

}

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
    cli::add_bench(app, chosen);

    try {
        app.parse(argc, argv);
        if (chosen)
            return with_all_written(chosen());
        std::fputs(app.help().c_str(), stdout);
        return with_all_written(cli::done);
    }
    catch (const CLI::Success& asked_for) {
        return with_all_written(app.exit(asked_for));
    }
    catch (const CLI::ParseError& wrong) {
        return complain(wrong.what(), ": `cuebox --help` lists what there is", cli::wrong_usage);
    }
    catch (const cli::usage_error& wrong) {
        return complain(wrong.what(), "", cli::wrong_usage);
    }
    catch (const std::exception& failure) {
        return complain(failure.what(), "", cli::failed);
    }
}
