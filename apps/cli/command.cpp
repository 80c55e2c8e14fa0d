#include <cuebox/cli/command.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <exception>
#include <iostream>

namespace cuebox::cli {

namespace {

int complain(const CLI::App& app, const std::string& what, int code)
{
    std::fprintf(stderr, "%s: %s\n", app.get_name().c_str(), what.c_str());
    return code;
}

// What is still in a buffer may find the disk full, or nobody to read it.
int with_all_written(const CLI::App& app, int code)
{
    if (code != done || output_holds())
        return code;
    return complain(app, output_lost, failed);
}

}

bool output_holds()
{
    std::cout.flush();
    return std::cout.good() && std::fflush(stdout) == 0 && std::ferror(stdout) == 0;
}

int run_program(CLI::App& app, int argc, char** argv, const action& chosen)
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
        return complain(app,
                        std::string(wrong.what()) + ": `" + app.get_name() +
                            " --help` lists what there is",
                        wrong_usage);
    }
    catch (const usage_error& wrong) {
        return complain(app, wrong.what(), wrong_usage);
    }
    catch (const std::exception& failure) {
        return complain(app, failure.what(), failed);
    }
}

}
