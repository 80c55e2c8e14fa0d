#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/pg/conninfo.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cuebox::cli {

// One run of a benchmark: how events are delivered, and with which settings.
struct bench_case
{
    std::string name{};
    bool transactional = false;
    actors::settings settings{};
};

// "leased", "transactional" or "both", with "stock", "tuned" or "both" settings.
std::vector<bench_case> bench_cases(const std::string& delivery, const std::string& settings,
                                    std::optional<std::size_t> batch);

// What is printed of a case, as it is named in JSON.
struct drain_result
{
    std::string name{};
    std::int64_t events{};
    double seconds{};
    // Handled, settled and committed: what a crash of anything cannot take back.
    double durable_per_second{};
    double commits_per_event{};
    double wal_bytes_per_event{};
    double dead_tuples_per_event{};
};

struct latency_result
{
    std::string name{};
    std::int64_t events{};
    // From the call of publish to the first line of the handler, in milliseconds.
    double p50{};
    double p95{};
    double p99{};
    double max{};
    double commits_per_event{};
    double wal_bytes_per_event{};
    double dead_tuples_per_event{};
};

// Publishes so many events, then lets a context handle them.
drain_result run_drain(const pg::connect_options& database, const bench_case& how,
                       std::int64_t events, bool silent);

// Publishes one event at a time to an idle context.
latency_result run_latency(const pg::connect_options& database, const bench_case& how,
                           std::int64_t events, bool silent);

}
