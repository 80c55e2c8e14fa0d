#pragma once

#include "embedded/scratch.hpp"
#include "support/canary.hpp"
#include "support/eventually.hpp"
#include "support/migrated.hpp"
#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::worker::test {

using namespace std::chrono_literals;
using cuebox::outbox::test::migrated;
using cuebox::test::eventually;

inline std::string read_file(const std::filesystem::path& path)
{
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::filesystem::path& path, std::string_view text = "")
{
    std::ofstream(path) << text;
}

inline bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

inline std::size_t count(std::string_view text, std::string_view part)
{
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size()))
        ++found;
    return found;
}

// Told with the test if that fails: a worker's own account is gone with its directory.
void keep_last_words(const std::string& log, const std::string& complaints);

// A worker process, its config, its log and the file that lets its handlers go on.
class running_worker
{
public:
    running_worker(const std::filesystem::path& program, const std::vector<std::string>& arguments,
                   std::filesystem::path log, std::filesystem::path release,
                   const cuebox::test::environment& with)
        : log_(std::move(log)),
          release_(std::move(release)),
          process_(program, arguments, with)
    {}
    ~running_worker()
    {
        CHECK_FALSE(cuebox::test::canary::heard(log()));
        keep_last_words(log(), process_.complaints());
    }

    std::string log() const { return read_file(log_); }
    bool listens() const
    {
        return eventually([this] { return contains(log(), "listening"); });
    }
    std::string pid() const { return std::to_string(process_.pid()); }
    void release() const { write_file(release_); }
    void signal(int number) const { process_.signal(number); }
    cuebox::test::outcome wait(std::chrono::milliseconds longest = 60s)
    {
        return process_.wait(longest);
    }
    // As a supervisor of processes ends it.
    int stop()
    {
        signal(SIGTERM);
        return wait().exit;
    }
    std::size_t resident_bytes() const
    {
        std::istringstream pages(read_file("/proc/" + pid() + "/statm"));
        std::size_t total = 0;
        std::size_t resident = 0;
        pages >> total >> resident;
        return resident * 4096;
    }

private:
    std::filesystem::path log_;
    std::filesystem::path release_;
    cuebox::test::process process_;
};

// Where the worker says that it serves.
inline std::string address_of(const running_worker& worker)
{
    static const std::string before = "address=";
    std::string log;
    REQUIRE(eventually([&] {
        log = worker.log();
        return contains(log, before);
    }));
    const auto at = log.find(before) + before.size();
    return log.substr(at, log.find('\n', at) - at);
}

// A database, a directory for files, and workers on them.
class workshop
{
public:
    // Handlers as they stand in a config; settings of the context, of the process and of its log,
    // each with a comma after it.
    struct plan
    {
        std::string handlers;
        std::string settings = "";
        std::string process = "";
        std::string log = "";
        std::string context = "test";
    };

    // A worker with the handlers of test_worker.cpp.
    std::unique_ptr<running_worker> start(const plan& plan,
                                          const cuebox::test::environment& added = {})
    {
        const std::string config = configure(plan);
        return start_program(TEST_WORKER, {"--config", config, "--database", database.conninfo()},
                             config, added);
    }
    // `cuebox worker` itself.
    std::unique_ptr<running_worker> start_stock(const plan& plan,
                                                const cuebox::test::environment& added = {})
    {
        return start_stock_on(database.conninfo(), plan, added);
    }
    // The same by another way to the database.
    std::unique_ptr<running_worker> start_stock_on(const std::string& conninfo, const plan& plan,
                                                   const cuebox::test::environment& added = {})
    {
        const std::string config = configure(plan);
        return start_program(CUEBOX, {"worker", "--config", config, "--database", conninfo}, config,
                             added);
    }
    // What `cuebox worker` says when it is refused.
    cuebox::test::outcome run_stock(const plan& plan, const std::vector<std::string>& more = {})
    {
        std::vector<std::string> arguments{"worker", "--config", configure(plan), "--database",
                                           database.conninfo()};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return cuebox::test::run(CUEBOX, arguments);
    }

    // The path of a new config.
    std::string write(const plan& plan) { return configure(plan); }

    // What the newest worker would read if it were told to read again.
    void rewrite(const plan& plan) { write_config(config_path(), plan); }

    // In one transaction.
    void publish(std::string_view type, int first, int last) const
    {
        database.query("select count(core.outbox_publish('" + std::string(type) +
                       "', 'test', 7, jsonb_build_object('number', i, 'secret', '" +
                       std::string(cuebox::test::canary::payload) + "'))) from generate_series(" +
                       std::to_string(first) + ", " + std::to_string(last) + ") i");
    }
    void publish(std::string_view type, std::string_view payload) const
    {
        database.query("select core.outbox_publish('" + std::string(type) + "', 'test', 7, '" +
                       std::string(payload) + "')");
    }

    std::string journal() const { return read_file(files / "journal"); }
    bool noted(std::string_view what, std::size_t times) const
    {
        return eventually([&] { return count(journal(), what) >= times; });
    }
    // Rows by status and attempts, such as "delivered 0: 100".
    std::string rows() const
    {
        return database.query(
            "select string_agg(line, ', ' order by line) from (select status || ' ' || attempts || "
            "': ' || count(*) as line from core.outbox group by status, attempts) lines");
    }
    bool reaches(std::string_view rows_are, std::chrono::milliseconds longest = 30s) const
    {
        return eventually([&] { return rows() == rows_are; }, longest);
    }

    // The database knows that so many rows are being handled: that is what costs an attempt.
    bool known_to_run(int rows) const
    {
        return eventually([&] {
            return database.query("select sum(cardinality(running)) from core.workers") ==
                   std::to_string(rows);
        });
    }

    embedded::test::scratch files;
    migrated database;

private:
    std::string config_path() const
    {
        return (files / ("worker_" + std::to_string(workers_))).string();
    }

    std::string configure(const plan& plan)
    {
        ++workers_;
        write_config(config_path(), plan);
        return config_path();
    }

    static void write_config(const std::string& name, const plan& plan)
    {
        write_file(name, R"({ "log": { )" + plan.log + R"("level": "debug", "file": ")" + name +
                             R"(.log" }, )" + plan.process + R"(
            "contexts": [ { "context": ")" +
                             plan.context + R"(", "generation": 7, )" +
                             (contains(plan.settings, "gauge") ? "" : R"("gauge": "1h", )") +
                             plan.settings + R"( "handlers": [ )" + plan.handlers + " ] } ] }");
    }

    std::unique_ptr<running_worker> start_program(const std::filesystem::path& program,
                                                  const std::vector<std::string>& arguments,
                                                  const std::string& config,
                                                  cuebox::test::environment added = {})
    {
        const std::string release = config + ".release";
        added.emplace_back("JOURNAL", (files / "journal").string());
        added.emplace_back("RELEASE", release);
        return std::make_unique<running_worker>(program, arguments, config + ".log", release,
                                                added);
    }

    int workers_ = 0;
};

}
