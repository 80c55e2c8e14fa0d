#pragma once

#include <cuebox/outbox/retention.hpp>
#include <cuebox/pg/connection.hpp>

#include <optional>
#include <string>

namespace cuebox::operations {

// What a sweep did, and by which rules.
struct sweep_result
{
    // False: another process was at it, and goes on with it.
    bool ran = false;
    std::int64_t tombstoned = 0;
    std::int64_t deleted = 0;
    std::int64_t outbox_active_seconds = 0;
    std::int64_t outbox_grace_seconds = 0;
    std::int64_t handled_active_seconds = 0;
    std::int64_t handled_grace_seconds = 0;
};

// Retention, once and on record. Without rules those of the registry hold; rules by which a replay
// could run twice are refused with an error.
pg::awaitable<sweep_result> sweep(pg::connection& connection,
                                  std::optional<outbox::retention> rules, std::string actor);

}
