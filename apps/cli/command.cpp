#include <cuebox/cli/command.hpp>
#include <cuebox/event/printable.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <iostream>

namespace cuebox::cli {

namespace {

int complain(const CLI::App& app, const std::string& what, int code)
{
    std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), event::printable_lines(what).c_str());
    return code;
}

// What is still in a buffer may find the disk full, or nobody to read it.
int with_all_written(const CLI::App& app, int code)
{
    if (code != done || output_holds())
        return code;
    return complain(app, output_lost, failed);
}

// The command that was named, as far as it was understood.
struct named
{
    explicit named(const CLI::App& app)
    {
        read_database(app);
        for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
            at = at->get_subcommands().front();
            command += (command.empty() ? "" : " ") + at->get_name();
            read_database(*at);
        }
    }
    void read_database(const CLI::App& at)
    {
        if (const auto* option = at.get_option_no_throw("--database"); option && *option)
            database = option->results().front();
    }

    std::string command; // "dlq replay"
    std::string database;
};

std::string with_help(const CLI::App& app, const CLI::ParseError& wrong)
{
    std::string what = wrong.what();
    while (what.ends_with('\n'))
        what.pop_back();
    const std::string command = named(app).command;
    return what + ": `" + app.get_name() + " " + command + (command.empty() ? "" : " ") +
           "--help` lists what there is";
}

}

bool output_holds()
{
    std::cout.flush();
    return std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

int run_program(CLI::App& app, int argc, char** argv, const action& chosen,
                const explainer& explain)
{
    try {
        app.parse(argc, argv);
        if (chosen)
            return with_all_written(app, chosen());
        std::fputs(app.help().c_str(), stdout);
        return with_all_written(app, done);
    }
    catch (const CLI::Success& asked_for) {
        return with_all_written(app, app.exit(asked_for));
    }
    catch (const CLI::ParseError& wrong) {
        return complain(app, with_help(app, wrong), wrong_usage);
    }
    catch (const usage_error& wrong) {
        return complain(app, wrong.what(), wrong_usage);
    }
    catch (const pg::error& refused) {
        const named what{app};
        const std::string why =
            explain ? explain(refused, what.command, what.database) : refused.what();
        return complain(app, why, failed);
    }
    catch (const std::exception& failure) {
        return complain(app, failure.what(), failed);
    }
}

}
