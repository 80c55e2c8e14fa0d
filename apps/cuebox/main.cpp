#include "bench.hpp"
#include "command.hpp"
#include "contracts.hpp"
#include "demo.hpp"
#include "denied.hpp"
#include "dlq.hpp"
#include "generation.hpp"
#include "migrate.hpp"
#include "printable.hpp"
#include "publish.hpp"
#include "status.hpp"
#include "sweep.hpp"
#include "task.hpp"
#include "terminal.hpp"
#include "url.hpp"
#include "worker.hpp"

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <string>

namespace {

int complain(const std::string& what, int code)
{
    std::fprintf(stderr, "cuebox: %s\n", cuebox::cli::printable_lines(what).c_str());
    return code;
}

// What is still in a buffer may find the disk full, or nobody to read it.
int with_all_written(int code)
{
    if (code != cuebox::cli::done || cuebox::cli::output_holds())
        return code;
    return complain(cuebox::cli::output_lost, cuebox::cli::failed);
}

// The command that was named, as far as it was understood.
struct named
{
    explicit named(const CLI::App& app)
    {
        for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
            at = at->get_subcommands().front();
            command += (command.empty() ? "" : " ") + at->get_name();
            if (const auto* option = at->get_option_no_throw("--database"); option && *option)
                database = option->results().front();
        }
    }

    std::string command; // "dlq replay"
    std::string database;
};

std::string with_help(const CLI::ParseError& wrong, const std::string& command)
{
    std::string what = wrong.what();
    while (what.ends_with('\n'))
        what.pop_back();
    return what + ": `cuebox " + command + (command.empty() ? "" : " ") +
           "--help` lists what there is";
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
    cli::add_dlq(app, chosen);
    cli::add_generation(app, chosen);
    cli::add_drain(app, chosen);
    cli::add_sweep(app, chosen);
    cli::add_task(app, chosen);
    cli::add_contracts(app, chosen);
    cli::add_url(app, chosen);
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
        return complain(with_help(wrong, named(app).command), cli::wrong_usage);
    }
    catch (const cli::usage_error& wrong) {
        return complain(wrong.what(), cli::wrong_usage);
    }
    catch (const pg::error& refused) {
        const named what{app};
        return complain(cli::in_words(refused, what.command, what.database), cli::failed);
    }
    catch (const std::exception& failure) {
        return complain(failure.what(), cli::failed);
    }
}
