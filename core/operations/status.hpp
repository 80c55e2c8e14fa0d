#pragma once

#include <cuebox/outbox/reading.hpp>
#include <cuebox/pg/awaitable.hpp>
#include <cuebox/pg/connection.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// How the outbox is, for an operator: plain structs, to be shown or to be printed as JSON.
namespace cuebox::operations {

struct status_options
{
    // How old the count of the backlog may be, where counting is cheap; elsewhere it is older.
    std::chrono::milliseconds age_max = std::chrono::seconds(5);
    // Count now, whatever it costs.
    bool exact = false;
};

// Sums of what is below; the backlog's as of `counting`.
struct totals
{
    std::int64_t pending = 0;
    std::int64_t waiting = 0; // Of these and those in flight, due later.
    std::int64_t in_flight = 0;
    std::optional<double> oldest_seconds{};
    std::int64_t dead_letters = 0;
    std::int64_t unrouted = 0;
    std::int64_t stranded = 0;
};

// Of all workers together, between the last two heartbeats of each.
struct throughput
{
    double delivered_per_second = 0;
    double retried_per_second = 0;
    double failed_per_second = 0;
};

// A worker process of a context, as of its last heartbeat.
struct listener
{
    std::string id{};
    std::string context{};
    std::int64_t generation = 0;
    std::string host{};
    std::int32_t pid = 0;
    double uptime_seconds = 0;
    double heartbeat_age_seconds = 0;
    // Whether its session is there; unknown behind a transaction pooler.
    std::optional<bool> alive{};
    // Hears NOTIFY; else it polls.
    bool listening = false;
    std::int32_t holding = 0;
    std::int64_t delivered = 0;
    std::int64_t retried = 0;
    std::int64_t failed = 0;
    double delivered_per_second = 0;
    double retried_per_second = 0;
    double failed_per_second = 0;

    // Its session is gone, or it has not been heard of for longer than three heartbeats.
    bool silent() const;
};

struct generation_state
{
    std::int64_t generation = 0;
    std::string label{};
    std::string status{}; // 'active', 'draining' or 'retired'
    std::int64_t contexts = 0;
    std::int64_t workers = 0;
};

// The rows are the statistics' estimates; the bytes are exact.
struct storage
{
    std::string relation{};
    std::int64_t rows_estimate = 0;
    std::int64_t dead_rows_estimate = 0;
    std::int64_t bytes = 0;
};

// Something that wants a hand: a sentence that says what to do next.
struct warning
{
    std::string code{};
    std::string sentence{};
};

struct status
{
    pg::timestamp at{}; // By the database's clock.
    std::vector<warning> warnings{};
    operations::totals totals{};
    operations::throughput throughput{};

    // When these five were counted.
    outbox::counting counting{};
    std::vector<outbox::backlog_group> backlog{};
    std::vector<outbox::dead_letter_group> dead_letters{};
    std::vector<outbox::unrouted_group> unrouted{};
    std::vector<outbox::stranded_group> stranded{};

    // As of `at`.
    std::vector<generation_state> generations{};
    std::vector<listener> listeners{};
    std::vector<operations::storage> storage{};
    // Of the notification queue of the whole cluster, 0 to 1.
    double notify_queue_usage = 0;
    // Who holds the oldest row versions, oldest first, a few of them. For how long is not visible
    // without pg_read_all_stats.
    std::vector<outbox::xmin_holder> xmin_holders{};
    bool sees_durations = false;
};

// One round trip. Costs the same however many rows there are, the count excepted, which is shared
// and limited (core.outbox_reading).
pg::awaitable<status> read_status(pg::connection& database, status_options options = {});

}
