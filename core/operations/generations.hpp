#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/pg/connection.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

// Deployments: a number for each, and what becomes of the rows of one that is on its way out.
namespace cuebox::operations {

struct generation_info
{
    std::int64_t generation = 0;
    std::optional<std::string> label{};
    // 'active', 'draining', 'retired', or 'unallocated' for a number somebody simply uses.
    std::string status{};
    std::optional<event::timestamp> started_at{};
    std::optional<event::timestamp> retired_at{};
    // Unsettled rows.
    std::int64_t pending = 0;
    std::int64_t in_flight = 0;
    std::int64_t dead_letters = 0;
    // Processes that are registered.
    std::int64_t workers = 0;
    // Who listens.
    std::vector<std::string> contexts{};
};

// In their order. Costs a look at each unsettled row and each dead letter.
pg::awaitable<std::vector<generation_info>> list_generations(pg::connection& connection);

struct allocated_generation
{
    std::int64_t generation = 0;
    std::string label{};
};
pg::awaitable<allocated_generation> allocate_generation(pg::connection& connection,
                                                        std::string label, std::string actor);

// 'draining' as long as it has unsettled rows or workers; asked for again then, 'retired'.
struct retired_generation
{
    std::int64_t generation = 0;
    std::string status{};
    std::int64_t pending = 0;
    std::int64_t in_flight = 0;
    std::int64_t workers = 0;
};
pg::awaitable<retired_generation> retire_generation(pg::connection& connection,
                                                    std::int64_t generation, std::string actor);

struct drain_progress
{
    std::int64_t moved = 0;
    // As many as were pending when it began.
    std::int64_t total = 0;
};

struct drain_result
{
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t moved = 0;
    // What is left: rows that were locked, in flight, or published since.
    std::int64_t pending = 0;
    std::int64_t in_flight = 0;
};

// Moves what is pending from one generation to another, in transactions of a thousand rows. Dead
// letters stay: they go by replay.
pg::awaitable<drain_result> drain(pg::connection& connection, std::int64_t from, std::int64_t to,
                                  std::string actor,
                                  std::function<void(const drain_progress&)> progress = {});

}
