#pragma once

#include <cuebox/event/envelope.hpp>
#include <cuebox/pg/result.hpp>
#include <cuebox/pg/types.hpp>
#include <cuebox/policy/claim_cursor.hpp>
#include <cuebox/policy/retry_policy.hpp>

#include <boost/container/small_vector.hpp>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace cuebox::outbox {

// A row of the outbox in the hands of whoever claimed it: its event, and what is the row's own.
struct claimed_row
{
    pg::uuid id{};
    // Its event_id is another than `id` for a broadcast's copy.
    event::envelope envelope{};
    std::string content_class{};
    std::string channel{};
    // Retries used in this cycle.
    std::int32_t attempts = 0;
    pg::timestamp available_at{};
    pg::timestamp created_at{};
    pg::tid place{};

    // Delayed, retried, replayed or given back, rather than taken in the order of its making.
    bool due_at_a_time() const noexcept { return available_at > created_at; }
};

// Shared by those who hold it, run it and settle it: it is never copied.
using claimed_row_ptr = std::shared_ptr<const claimed_row>;

// What a claim gave.
std::vector<claimed_row_ptr> read_rows(const pg::result& claim);

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
    std::vector<claimed_row_ptr> rows{};
    // The fence of these rows.
    pg::uuid token{};
    std::size_t expanded = 0;
};

// That a handler has handled a key: what stops it from running again. It views the handler's name
// and the row, which whoever has it keeps.
struct handled_record
{
    std::string_view handler{};
    std::string_view idempotency_key{};
    pg::uuid event_id{};
    std::string_view content_class{};

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
    // Nearly always one.
    boost::container::small_vector<handled_record, 1> handled{};
};

// How far a claim got, for the cursor that says where the next one starts.
policy::claim_reach reach_of(std::span<const claimed_row_ptr> rows, std::size_t asked);

}
