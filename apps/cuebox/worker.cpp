#include "worker.hpp"

#include "database.hpp"
#include "files.hpp"

#include <cuebox/embedded/platform.hpp>
#include <cuebox/telemetry/quill_log.hpp>
#include <cuebox/worker/run.hpp>

#include <CLI/CLI.hpp>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <optional>
#include <thread>

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

int run_worker(const worker_options& options)
{
    const auto config = read_config(options.config);
    const registry none;
    // Whatever is wrong with a handler is said before anything starts.
    const std::string tree =
        options.json ? worker::describe_json(config, none) + "\n" : worker::describe(config, none);
    if (options.check) {
        std::fputs(tree.c_str(), stdout);
        return done;
    }
    if (options.json)
        throw usage_error{"--json goes with --check: a worker's log is JSON by its config"};
    const database where{options.database};
    const telemetry::logger log(telemetry::make_log({.json = config.log.json,
                                                     .file = config.log.file,
                                                     .from = {.service = config.log.service,
                                                              .environment = config.log.environment,
                                                              .version = CUEBOX_VERSION}}),
                                config.log.level);
    worker::run_options how{.database = where.for_many_statements(),
                            .reread = [path = options.config] { return read_config(path); },
                            .log = log,
                            .version = CUEBOX_VERSION};
    std::optional<joined_watch> watch;
    if (const auto* joined = where.joined()) {
        log.info("joined the Postgres of another command", {{"directory", joined->data.string()}});
        watch.emplace(*joined, log);
    }
    const int code = worker::run(config, none, std::move(how));
    telemetry::flush_log();
    return watch && watch->ended() ? failed : code;
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
    command->add_flag("--check", options->check, "Check the config, print what would run, and end");
    command->add_flag("--json", options->json, "With --check: print as JSON");
    command->callback([options, &chosen] { chosen = [options] { return run_worker(*options); }; });
}

}
