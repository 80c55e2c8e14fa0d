#include <cuebox/worker/command.hpp>
#include <cuebox/worker/main.hpp>

#include <CLI/CLI.hpp>

#include <filesystem>

namespace cuebox::worker {

int main(int argc, char** argv, const equipment& equip, const program& about)
{
    const std::string name =
        argc > 0 ? std::filesystem::path(argv[0]).filename().string() : "worker";
    CLI::App app{about.about, name};
    if (!about.version.empty())
        app.set_version_flag("--version", name + " " + about.version);
    const cli::action run = add_arguments(app, equip, about.version);
    return cli::run_program(app, argc, argv, run);
}

int main(int argc, char** argv, const registry& handlers, const program& about)
{
    return main(argc, argv, equip_with(handlers), about);
}

}
