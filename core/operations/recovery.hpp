#pragma once

#include <cuebox/operations/dead_letters.hpp>

#include <functional>
#include <map>

// Doing something about dead letters. Who did it is on record, in the event's history and in
// core.operator_actions.
namespace cuebox::operations {

struct replay_request
{
    event::uuid id{};
    // Whose workers handle it. None: its own if somebody listens there for its type and target,
    // else the newest at which somebody does.
    std::optional<std::int64_t> generation{};
    std::string actor{};
    // Also what is older than dedup records are kept: handlers that succeeded would run again.
    bool force = false;
};

struct replayed
{
    event::uuid id{};
    std::int64_t generation = 0;
};

// Throws error for what is no dead letter any more, or too old, or listened for by nobody.
pg::awaitable<replayed> replay_dlq_event(pg::connection& connection, replay_request request);
pg::awaitable<void> discard_dlq_event(pg::connection& connection, event::uuid id,
                                      std::string actor);

// How far a bulk operation is.
struct bulk_progress
{
    // Rows it has been at; with a limit, those that count towards it.
    std::int64_t done = 0;
    // As many as there were when it began, or the limit.
    std::int64_t total = 0;
};

// Slower than a row in so many seconds is no rate.
inline constexpr double rate_min = 0.001;

struct bulk_options
{
    std::string actor{};
    // Rows a second at most, from rate_min on; 0 is as fast as it goes.
    double rate = 0;
    // Rows in a statement, which is a transaction.
    std::int32_t batch = 500;
    // Rows at most, those that are refused not counted; none is all.
    std::optional<std::int64_t> limit{};
    // How many match, where that was counted already; for the progress alone.
    std::optional<std::int64_t> counted{};
    // Called after each batch.
    std::function<void(const bulk_progress&)> progress{};
};

struct replay_options
{
    bulk_options bulk{};
    // As in replay_request; none is chosen for each row.
    std::optional<std::int64_t> generation{};
    bool force = false;
};

// A row that was left as it is, and why.
struct refusal
{
    event::uuid id{};
    std::string reason{};
    std::string advice{};
};

// Of the refused ones the first are named.
inline constexpr std::size_t refusals_max = 100;

struct bulk_result
{
    // Where they were replayed to, and how many of them.
    std::map<std::int64_t, std::int64_t> generations{};
    std::int64_t done = 0;
    std::int64_t refused = 0;
    std::vector<refusal> refusals{};
};

// All that match when it begins, or when the filter was pinned, the oldest first; what fails again
// meanwhile is not taken a second time. Batch by batch: what was done stays done, whatever ends it.
pg::awaitable<bulk_result> replay_dlq_events(pg::connection& connection, dlq_filter filter,
                                             replay_options options);
pg::awaitable<bulk_result> replay_dlq_events(pg::connection& connection,
                                             std::vector<event::uuid> ids, replay_options options);
pg::awaitable<bulk_result> discard_dlq_events(pg::connection& connection, dlq_filter filter,
                                              bulk_options options);
pg::awaitable<bulk_result> discard_dlq_events(pg::connection& connection,
                                              std::vector<event::uuid> ids, bulk_options options);

}
