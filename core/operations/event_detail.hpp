#pragma once

#include <cuebox/event/shapes.hpp>
#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/uuid.hpp>
#include <cuebox/pg/connection.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Everything that is known of one event of the outbox.
namespace cuebox::operations {

// A cycle that ended in a dead letter, and what was done about it.
struct failure_cycle
{
    std::int32_t cycle = 0;
    std::int32_t attempts = 0;
    std::optional<std::string> handler{};
    std::optional<std::string> last_error{};
    std::optional<event::timestamp> first_failed_at{};
    std::optional<event::timestamp> failed_at{};
    std::optional<event::timestamp> replayed_at{};
    std::optional<std::string> replayed_by{};
    std::optional<event::timestamp> discarded_at{};
    std::optional<std::string> discarded_by{};
};

// A handler that has succeeded: a replay does not run it again.
struct handled_by
{
    std::string handler{};
    event::uuid event_id{};
    event::timestamp handled_at{};
};

struct operator_action
{
    event::timestamp at{};
    // Who they said they were.
    std::optional<std::string> actor{};
    std::string database_user{};
    std::string action{};
    event::raw_json detail{};
};

// Another row of the same event: a copy of a broadcast, or the broadcast itself.
struct event_copy
{
    event::uuid id{};
    // None for the broadcast itself.
    std::optional<std::string> target{};
    std::int64_t generation = 0;
    std::string status{};
    std::int32_t attempts = 0;
    event::timestamp created_at{};
    std::optional<event::timestamp> delivered_at{};
    std::optional<event::timestamp> failed_at{};
    std::optional<event::timestamp> deleted_at{};
};

struct event_detail
{
    event::uuid id{};
    event::uuid event_id{};
    std::string event_type{};
    std::int32_t event_version = 1;
    std::string source{};
    std::optional<std::string> target{};
    std::int64_t generation = 0;
    std::string channel{};
    std::string content_class{};
    std::optional<event::uuid> domain_id{};
    std::string idempotency_key{};
    std::optional<std::string> trace_context{};
    event::raw_json payload{};
    std::string status{};
    // Of the current cycle.
    std::int32_t attempts = 0;
    std::optional<std::string> handler{};
    std::optional<std::string> last_error{};
    std::optional<event::timestamp> first_failed_at{};
    std::optional<event::timestamp> failed_at{};
    // Who holds the claim, and since when it was taken or last renewed; of a settled event, who
    // held it last.
    std::optional<std::string> worker{};
    std::optional<event::timestamp> claimed_at{};
    // Not claimed before.
    event::timestamp available_at{};
    event::timestamp occurred_at{};
    event::timestamp created_at{};
    std::optional<event::timestamp> delivered_at{};
    // Discarded, or swept after it was delivered.
    std::optional<event::timestamp> deleted_at{};
    // Finished cycles, the first one first.
    std::vector<failure_cycle> history{};
    std::vector<handled_by> handled{};
    std::vector<operator_action> actions{};
    std::vector<event_copy> copies{};
};

// By the row's id, in any state. None if the outbox does not have it.
pg::awaitable<std::optional<event_detail>> show_event(pg::connection& connection, event::uuid id);

}
