#include "bench.hpp"

#include "bench_case.hpp"
#include "numbers.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/event/encode.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <memory>

namespace cuebox::cli {

struct drain_report
{
    std::vector<drain_result> drain;
};
struct latency_report
{
    std::vector<latency_result> latency;
};

namespace {

struct bench_options
{
    std::string database;
    std::int64_t drained = 50'000;
    std::int64_t timed = 500;
    std::string delivery = "both";
    std::string settings = "both";
    std::optional<std::size_t> batch;
    bool json = false;
};

// A private server, as it comes, unless another is named.
std::string database_for(const bench_options& options)
{
    return options.database.empty() ? "embedded" : options.database;
}

int bench_drain(const bench_options& options)
{
    const database where{database_for(options)};
    const auto connect = where.for_many_statements();
    drain_report report;
    if (!options.json)
        std::printf("%-30s %12s %8s %10s %8s\n", "drain", "durable/s", "commits", "WAL bytes",
                    "dead");
    for (const bench_case& each : bench_cases(options.delivery, options.settings, options.batch)) {
        report.drain.push_back(run_drain(connect, each, options.drained, options.json));
        const auto& got = report.drain.back();
        if (!options.json)
            std::printf("%-30s %12.0f %8.4f %10.0f %8.2f\n", got.name.c_str(),
                        got.durable_per_second, got.commits_per_event, got.wal_bytes_per_event,
                        got.dead_tuples_per_event);
        std::fflush(stdout);
    }
    if (options.json)
        std::cout << event::encode(report) << '\n';
    else
        std::puts("per event, but for the rate; durable: handled, settled and committed");
    return done;
}

int bench_latency(const bench_options& options)
{
    const database where{database_for(options)};
    const auto connect = where.for_many_statements();
    latency_report report;
    if (!options.json)
        std::printf("%-30s %8s %8s %8s %8s %8s %10s\n", "latency, ms", "p50", "p95", "p99", "max",
                    "commits", "WAL bytes");
    for (const bench_case& each : bench_cases(options.delivery, options.settings, options.batch)) {
        report.latency.push_back(run_latency(connect, each, options.timed, options.json));
        const auto& got = report.latency.back();
        if (!options.json)
            std::printf("%-30s %8.2f %8.2f %8.2f %8.2f %8.2f %10.0f\n", got.name.c_str(), got.p50,
                        got.p95, got.p99, got.max, got.commits_per_event, got.wal_bytes_per_event);
        std::fflush(stdout);
    }
    if (options.json)
        std::cout << event::encode(report) << '\n';
    else
        std::puts("from the call of publish to the handler, one event at a time");
    return done;
}

void add_common(CLI::App& command, bench_options& options)
{
    add_database_option(command, options.database);
    command.add_option("--delivery", options.delivery, "leased, transactional or both")
        ->check(CLI::IsMember({"leased", "transactional", "both"}));
    command.add_option("--settings", options.settings, "stock, tuned or both")
        ->check(CLI::IsMember({"stock", "tuned", "both"}));
    command.add_option("--batch", options.batch, "Claim so many at a time, neither more nor less")
        ->check(counts_from_one());
    command.add_flag("--json", options.json, "Print as JSON");
}

}

void add_bench(CLI::App& app, action& chosen)
{
    auto options = std::make_shared<bench_options>();
    auto* command = app.add_subcommand(
        "bench", "Measure throughput and latency, on a private server unless one is named");
    command->require_subcommand(1);
    auto* drain = command->add_subcommand("drain", "Work off a backlog of events that do nothing");
    add_common(*drain, *options);
    drain->add_option("--events", options->drained, "How many")->check(counts_from_one());
    drain->callback([options, &chosen] { chosen = [options] { return bench_drain(*options); }; });
    auto* latency = command->add_subcommand("latency", "Publish to an idle worker, one at a time");
    add_common(*latency, *options);
    latency->add_option("--events", options->timed, "How many")->check(counts_from_one());
    latency->callback(
        [options, &chosen] { chosen = [options] { return bench_latency(*options); }; });
}

}
