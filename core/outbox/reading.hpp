#pragma once

#include <cuebox/pg/types.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// What an operator watches, of the whole database. The backlog is counted seldom and kept in the
// database for everybody (core.outbox_reading); all else is read as it is now.
namespace cuebox::outbox {

// When the backlog was counted.
struct counting
{
    // False: never yet, and somebody else is at it. Then there are no groups either.
    bool counted = false;
    double age_seconds = 0;
    double took_seconds = 0;
    // Counted by this very call; else it is the stored count, of that age.
    bool exact = false;
};

// Rows that are not settled, of one generation, status, channel and event type. There are at most
// 500 of these: what is beyond is together under the event type "(others)".
struct backlog_group
{
    std::int64_t generation = 0;
    std::string status{}; // 'pending' or 'in_flight'
    std::string channel{};
    std::string event_type{};
    std::int64_t events = 0;
    std::int64_t waiting = 0; // Of these, due later.
    double oldest_seconds = 0;
};

struct dead_letter_group
{
    std::int64_t generation = 0;
    std::string event_type{};
    std::int64_t events = 0;
    double oldest_seconds = 0;
};

// Pending rows that nobody listens for at their generation.
struct unrouted_group
{
    std::int64_t generation = 0;
    std::string event_type{};
    std::optional<std::string> target{};
    std::int64_t events = 0;
    double oldest_seconds = 0;
};

// Rows that are not settled in a generation that is on its way out, or gone.
struct stranded_group
{
    std::int64_t generation = 0;
    std::string deployment{}; // 'draining' or 'retired'
    std::string label{};
    std::int64_t events = 0;
    double oldest_seconds = 0;
};

// Who keeps the oldest row versions from being cleaned up.
struct xmin_holder
{
    // 'backend', 'prepared transaction', 'replication slot' or 'standby'.
    std::string kind{};
    // The pid (a standby's is that of its sender), the gid, or the name of the slot.
    std::string identity{};
    std::string database{};
    std::string role{};
    std::string application{};
    std::string state{};
    // In transactions.
    std::int64_t xmin_age = 0;
    // How long its transaction has been open; a slot has none, and others' may not be shown to us.
    std::optional<double> seconds{};
};

}
