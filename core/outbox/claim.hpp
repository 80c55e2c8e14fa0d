#pragma once

#include <cuebox/event/envelope.hpp>
#include <cuebox/pg/types.hpp>
#include <cuebox/policy/claim_cursor.hpp>
#include <cuebox/policy/retry_policy.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace cuebox::outbox {

// A row of the outbox in the hands of whoever claimed it, as the database returns it.
struct claimed_row
{
    pg::uuid id{};
    // The envelope's id; another than `id` for a broadcast's copy.
    pg::uuid event_id{};
    std::string event_type{};
    std::int32_t event_version = 1;
    pg::timestamp occurred_at{};
    std::string source{};
    std::optional<std::string> target{};
    std::optional<pg::uuid> domain_id{};
    std::string payload{};
    std::string idempotency_key{};
    std::optional<std::string> trace_context{};
    std::string content_class{};
    std::string channel{};
    // Retries used in this cycle.
    std::int32_t attempts = 0;
    pg::timestamp available_at{};
    pg::timestamp created_at{};
    pg::tid place{};

    // Delayed, retried, replayed or given back, rather than taken in the order of its making.
    bool due_at_a_time() const noexcept { return available_at > created_at; }
    event::envelope envelope() const&;
    // Takes the payload along.
    event::envelope envelope() &&;
};

// The two ways a row is taken: with a lease that outlives the transaction, or locked within one.
struct claim_request
{
    std::vector<std::string> event_types{};
    std::size_t limit = 0;
    policy::claim_bounds bounds{};
    // Broadcasts that others listen for too become rows of their own first.
    bool expand = true;
};

struct claimed
{
    std::vector<claimed_row> rows{};
    // The fence of these rows.
    pg::uuid token{};
    std::size_t expanded = 0;
};

// That a handler has handled a key: what stops it from running again.
struct handled_record
{
    std::string handler{};
    std::string idempotency_key{};
    pg::uuid event_id{};
    std::string content_class{};

    auto order() const noexcept { return std::tie(idempotency_key, handler); }
};

// What became of a row that was claimed.
struct settlement
{
    pg::uuid id{};
    // Of a leased row.
    pg::uuid token{};
    // Where the claim has put it, or found and locked it.
    pg::tid place{};
    policy::verdict verdict{};
    std::vector<handled_record> handled{};
};

// How far a claim got, for the cursor that says where the next one starts.
policy::claim_reach reach_of(const std::vector<claimed_row>& rows, std::size_t asked);

}
