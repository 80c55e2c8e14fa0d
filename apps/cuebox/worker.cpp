#include "worker.hpp"

#include "database.hpp"
#include "files.hpp"

#include <cuebox/telemetry/quill_log.hpp>
#include <cuebox/worker/run.hpp>
#include <cuebox/worker/start_check.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace cuebox::cli {

namespace {

struct worker_options
{
    std::string database;
    std::string config;
    bool check = false;
    bool json = false;
};

worker::worker_config read_config(const std::string& path)
{
    const auto text = read_file(path);
    if (!text)
        throw failure{"no config " + path + ": give --config an existing file"};
    return worker::parse_config(*text, path);
}

// With the help of a database if one is named; the config alone does not need it.
void check(const worker::worker_config& config, const std::string& database_given)
{
    const registry none;
    if (!database_given.empty()) {
        const database where{database_given};
        worker::check_config(config, none, where.options());
    }
    else if (worker::needs_database(worker::plan_contexts(config, none))) {
        std::fputs("cuebox: SQL statements are not checked: give --database URL for that\n",
                   stderr);
    }
}

telemetry::logger open_log(const worker::log_config& how, const std::string& source)
{
    try {
        return telemetry::logger(telemetry::make_log({.json = how.json,
                                                      .file = how.file,
                                                      .from = {.service = how.service,
                                                               .environment = how.environment,
                                                               .version = CUEBOX_VERSION}}),
                                 how.level);
    }
    catch (const std::exception& error) {
        throw failure{source + ": /log/file: cannot be written: " + error.what()};
    }
}

int run_worker(const worker_options& options)
{
    const auto config = read_config(options.config);
    const registry none;
    // Whatever is wrong with a handler is said before anything starts.
    const std::string tree =
        options.json ? worker::describe_json(config, none) + "\n" : worker::describe(config, none);
    if (options.check) {
        check(config, options.database);
        std::fputs(tree.c_str(), stdout);
        return done;
    }
    if (options.json)
        throw usage_error{"--json goes with --check: a worker's log is JSON by its config"};
    const database where{options.database};
    const telemetry::logger log = open_log(config.log, options.config);
    worker::run_options how{.database = where.for_many_statements(),
                            .reread = [path = options.config] { return read_config(path); },
                            .log = log,
                            .version = CUEBOX_VERSION};
    const int code = worker::run(config, none, std::move(how));
    telemetry::flush_log();
    return code;
}

}

void add_worker(CLI::App& app, action& chosen)
{
    auto options = std::make_shared<worker_options>();
    auto* command =
        app.add_subcommand("worker", "Run the listening contexts of a supervisor config");
    add_database_option(*command, options->database);
    command->add_option("--config", options->config, "The config: JSON with comments")
        ->required()
        ->type_name("FILE");
    command->add_flag(
        "--check", options->check,
        "Check the config, with --database its SQL too, print what would run, and end");
    command->add_flag("--json", options->json, "With --check: print as JSON");
    command->callback([options, &chosen] { chosen = [options] { return run_worker(*options); }; });
}

}
