#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/uuid.hpp>
#include <cuebox/pg/connection.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Looking at events of the outbox, in any state, without their payloads: event_detail.hpp has all
// of one. A page costs a bounded look at the table, however long its history is.
namespace cuebox::operations {

enum class event_status
{
    pending,
    in_flight,
    delivered,
    failed
};

// As the column has it.
const char* name_of(event_status status);

// Which ones: those that all that is given holds for. What an operator or retention has deleted is
// not among them.
struct event_filter
{
    event_status status = event_status::pending;
    std::optional<std::string> event_type{};
    std::optional<std::string> source{};
    std::optional<std::string> target{};
    std::optional<event::uuid> domain_id{};
    std::optional<std::string> idempotency_key{};
    std::optional<std::int64_t> generation{};
    // Since they were published, by the database's clock when it is asked.
    std::optional<std::chrono::microseconds> older_than{};
    std::optional<std::chrono::microseconds> newer_than{};
    // True: can be claimed now. False: waits for its time. Of pending events alone.
    std::optional<bool> due{};
};

struct listed_event
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
    std::string status{};
    // Retries used, of the current cycle.
    std::int32_t attempts = 0;
    // Not claimed before.
    event::timestamp available_at{};
    // The last failure of the current cycle, and whose it was.
    std::optional<std::string> handler{};
    std::optional<std::string> last_error{};
    // Who holds the claim, or held it last.
    std::optional<std::string> worker{};
    std::optional<event::timestamp> claimed_at{};
    event::timestamp occurred_at{};
    event::timestamp created_at{};
    std::optional<event::timestamp> delivered_at{};
    std::optional<event::timestamp> failed_at{};
};

// How to read a list of any length.
struct event_paging
{
    // 1 to 10,000.
    std::int32_t limit = 50;
    // `next` of the page before; empty for the first.
    std::string after{};
    // How many rows in the order of their publication are looked at for one page, matching or not.
    std::int32_t rows_max = 100'000;
    // What the server may take for it, before it is an error that says how to ask for less.
    std::chrono::milliseconds time_max{10'000};
};

struct event_page
{
    std::vector<listed_event> events{};
    // Where the next page starts; none when this is the last.
    std::optional<std::string> next{};
    // Set when the search ended at rows_max, not at the limit: everything published until then was
    // looked at. `next` goes on from there.
    std::optional<event::timestamp> looked_until{};
};

// The oldest first. The connection must not be in a transaction.
pg::awaitable<event_page> read_events(pg::connection& connection, event_filter filter,
                                      event_paging paging);

}
