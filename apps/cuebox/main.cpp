#include <CLI/CLI.hpp>

#include <cstdio>

// Exit codes: 0 done, 1 failed, 2 wrong usage.
int main(int argc, char** argv)
{
    CLI::App app{"Cuebox: coroutine actors that move events out of a Postgres outbox into handlers",
                 "cuebox"};
    app.set_version_flag("--version", "cuebox " CUEBOX_VERSION);
    app.footer("This version has the actor runtime, a library: see docs/runtime.md.");

    try {
        app.parse(argc, argv);
    }
    catch (const CLI::CallForHelp&) {
        std::fputs(app.help().c_str(), stdout);
        return 0;
    }
    catch (const CLI::CallForVersion& version) {
        std::printf("%s\n", version.what());
        return 0;
    }
    catch (const CLI::ParseError& wrong) {
        std::fprintf(stderr, "cuebox: %s: `cuebox --help` lists what there is\n", wrong.what());
        return 2;
    }
    std::fputs(app.help().c_str(), stdout);
    return 0;
}
