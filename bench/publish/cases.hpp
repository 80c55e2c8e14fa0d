#pragma once

#include "../support/suite.hpp"

#include <array>
#include <cstddef>
#include <string>

// How fast events get into the outbox of one durable Postgres, beside others that write as much.
namespace bench::publish {

namespace systems {
inline constexpr auto* cuebox = "cuebox";
// The event and the COMMIT in one round trip.
inline constexpr auto* cuebox_one_trip = "cuebox_1trip";
// Quiet rows, and nobody woken.
inline constexpr auto* unwoken = "no_notify";
inline constexpr auto* pgbench = "pgbench";
inline constexpr auto* pgbench_one_trip = "pgbench_1trip";
inline constexpr auto* copy = "cuebox_copy";
inline constexpr auto* copy_large = "cuebox_copy10k";
inline constexpr auto* graphile = "graphile";
inline constexpr auto* pg_boss = "pg_boss";
}

// Each event in a transaction of its own, by so many producers at once; a row NOTIFY in each, or
// quiet rows and a waker. A listener listens in all of them.
inline constexpr std::array<std::size_t, 4> producer_counts{1, 2, 8, 32};
inline std::string loud(std::size_t producers)
{
    return "loud_" + std::to_string(producers);
}
inline std::string quiet(std::size_t producers)
{
    return "quiet_" + std::to_string(producers);
}

// A thousand events per call, each call a transaction, on so many connections.
inline constexpr std::array<std::size_t, 2> bulk_connections{1, 2};
inline std::string bulk(std::size_t connections)
{
    return "bulk_" + std::to_string(connections);
}

// Making an event ready, without a database.
inline constexpr auto* prepare = "prepare";

void add_single_cases(suite& suite);
void add_bulk_cases(suite& suite);
void add_prepare_cases(suite& suite);

// Other programs, which run as processes of their own.
bench_case pgbench_case(std::size_t producers, bool quiet, bool one_trip, std::uint64_t messages);
bench_case graphile_case(std::size_t connections, std::uint64_t messages);
bench_case pg_boss_case(std::size_t connections, std::uint64_t messages);

}
