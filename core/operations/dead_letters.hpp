#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/uuid.hpp>
#include <cuebox/pg/connection.hpp>
#include <cuebox/pg/params.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// Looking at dead letters: events that failed, and that nobody has replayed or discarded. Costs a
// look at dead letters only, however long the history beside them is.
namespace cuebox::operations {

// Which ones: those that all that is given holds for.
struct dlq_filter
{
    std::optional<std::string> event_type{};
    std::optional<std::string> source{};
    std::optional<std::string> target{};
    std::optional<std::string> handler{};
    // A part of the error, in any case of letters.
    std::optional<std::string> error{};
    // What stands before the error's first colon.
    std::optional<std::string> error_class{};
    std::optional<std::int64_t> generation{};
    // The event, of whose copies each may have failed.
    std::optional<event::uuid> event_id{};
    std::optional<event::uuid> domain_id{};
    // Since they failed, by the database's clock when it is asked.
    std::optional<std::chrono::microseconds> older_than{};
    std::optional<std::chrono::microseconds> newer_than{};
    // Failed then at the earliest, and at the latest.
    std::optional<event::timestamp> failed_from{};
    std::optional<event::timestamp> failed_until{};
};

// The same with ages turned into times and no later failures, by the database's clock: from now on
// it means the same ones, less those that somebody replays or discards.
pg::awaitable<dlq_filter> pin(pg::connection& connection, dlq_filter filter);

struct dlq_event
{
    // The row's; another than event_id for a broadcast's copy.
    event::uuid id{};
    event::uuid event_id{};
    std::string event_type{};
    std::int32_t event_version = 1;
    std::string source{};
    std::optional<std::string> target{};
    std::int64_t generation = 0;
    std::string channel{};
    std::optional<event::uuid> domain_id{};
    std::string idempotency_key{};
    // Retries used.
    std::int32_t attempts = 0;
    // 1 for what was never replayed.
    std::int32_t cycle = 1;
    // Whose failure it was; none when its worker died.
    std::optional<std::string> handler{};
    std::optional<std::string> error_class{};
    std::optional<std::string> last_error{};
    std::optional<event::timestamp> first_failed_at{};
    event::timestamp failed_at{};
    std::optional<std::string> worker{};
    event::timestamp occurred_at{};
    event::timestamp created_at{};
};

// How to read a list of any length.
struct dlq_paging
{
    std::int32_t limit = 50;
    // `next` of the page before; empty for the first.
    std::string after{};
    bool oldest_first = false;
};

struct dlq_page
{
    std::vector<dlq_event> events{};
    // Where the next page starts; none when this is the last.
    std::optional<std::string> next{};
};

pg::awaitable<dlq_page> list_dlq_events(pg::connection& connection, dlq_filter filter,
                                        dlq_paging paging);
pg::awaitable<std::int64_t> count_dlq_events(pg::connection& connection, dlq_filter filter);

enum class dlq_grouping
{
    error,
    type, // With source and target.
    handler
};

// Many of a kind. What it was not grouped by is left out.
struct dlq_group
{
    std::optional<std::string> error_class{};
    std::optional<std::string> event_type{};
    std::optional<std::string> source{};
    std::optional<std::string> target{};
    std::optional<std::string> handler{};
    std::int64_t events = 0;
    event::timestamp oldest_at{};
    event::timestamp newest_at{};
};

// The largest first.
pg::awaitable<std::vector<dlq_group>> group_dlq_events(pg::connection& connection,
                                                       dlq_filter filter, dlq_grouping by);

}
