#include <cuebox/cli/database.hpp>
#include <cuebox/cli/files.hpp>
#include <cuebox/embedded/platform.hpp>
#include <cuebox/telemetry/quill_log.hpp>
#include <cuebox/worker/command.hpp>
#include <cuebox/worker/crew.hpp>
#include <cuebox/worker/run.hpp>
#include <cuebox/worker/start_check.hpp>

#include <CLI/CLI.hpp>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

namespace cuebox::worker {

namespace {

struct worker_options
{
    std::string database;
    std::string config;
    bool check = false;
    bool json = false;
};

worker_config read_config(const std::string& path)
{
    const auto text = cli::read_file(path);
    if (!text)
        throw cli::failure{"no config " + path + ": give --config an existing file"};
    return parse_config(*text, path);
}

// A worker that outlived the server of another command would try to reach it for ever. So it stops
// with it.
class joined_watch
{
public:
    joined_watch(const embedded::running_server& joined, const telemetry::logger& log)
        : thread_([this, &joined, &log](const std::stop_token& stopped) {
              while (!stopped.stop_requested())
                  if (embedded::wait_for_end(joined.pid, std::chrono::milliseconds(200))) {
                      log.error("the Postgres in " + joined.data.string() +
                                " has stopped: it was another command's; start this worker again, "
                                "and it runs one of its own");
                      ended_ = true;
                      std::raise(SIGTERM);
                      return;
                  }
          })
    {}

    bool ended() const { return ended_; }

private:
    std::atomic<bool> ended_{false};
    std::jthread thread_;
};

telemetry::logger open_log(const log_config& how, const std::string& version,
                           const std::string& source)
{
    try {
        return telemetry::logger(telemetry::make_log({.json = how.json,
                                                      .file = how.file,
                                                      .from = {.service = how.service,
                                                               .environment = how.environment,
                                                               .version = version}}),
                                 how.level);
    }
    catch (const std::exception& error) {
        throw cli::failure{source + ": /log/file: cannot be written: " + error.what()};
    }
}

// With the help of a database if one is named; the config alone does not need it.
void check(const crew& all, const std::string& database_given)
{
    auto plans = all.plans(all.config());
    if (!database_given.empty()) {
        const cli::database where{database_given};
        check_plans(std::move(plans), where.options());
    }
    else if (needs_database(plans)) {
        std::fputs("SQL statements are not checked: give --database URL for that\n", stderr);
    }
}

int run_worker(const worker_options& options, const equipment& equip, const std::string& version)
{
    // Whatever is wrong with a handler is said before anything starts.
    crew all(read_config(options.config), equip);
    if (options.check) {
        check(all, options.database);
        const std::string tree = options.json ? all.describe_json() + "\n" : all.describe();
        std::fputs(tree.c_str(), stdout);
        return cli::done;
    }
    if (options.json)
        throw cli::usage_error{"--json goes with --check: a worker's log is JSON by its config"};
    const cli::database where{options.database};
    const telemetry::logger log = open_log(all.config().log, version, options.config);
    run_options how{.database = where.for_many_statements(),
                    .reread = [path = options.config] { return read_config(path); },
                    .log = log,
                    .version = version};
    std::optional<joined_watch> watch;
    if (const auto* joined = where.joined()) {
        log.info("joined the Postgres of another command", {{"directory", joined->data.string()}});
        watch.emplace(*joined, log);
    }
    const int code = run(all, std::move(how));
    telemetry::flush_log();
    return watch && watch->ended() ? cli::failed : code;
}

}

cli::action add_arguments(CLI::App& command, equipment equip, std::string version)
{
    auto options = std::make_shared<worker_options>();
    cli::add_database_option(command, options->database);
    command.add_option("--config", options->config, "The config: JSON with comments")
        ->required()
        ->type_name("FILE");
    command.add_flag(
        "--check", options->check,
        "Check the config, with --database its SQL too, print what would run, and end");
    command.add_flag("--json", options->json, "With --check: print as JSON");
    return [options, equip = std::move(equip), version = std::move(version)] {
        return run_worker(*options, equip, version);
    };
}

}
