#pragma once

#include <cuebox/pg/awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace cuebox::pg {
class connection;
}

namespace cuebox::outbox {

// How long things are kept: active, then tombstoned for a time of grace, then deleted. The clock of
// a row starts when it is delivered or discarded; what has not ended is kept.
struct retention
{
    std::chrono::seconds outbox_active = std::chrono::days(45);
    std::chrono::seconds outbox_grace = std::chrono::days(7);
    std::chrono::seconds handled_active = std::chrono::days(60);
    std::chrono::seconds handled_grace = std::chrono::days(7);

    bool operator==(const retention&) const = default;
};

// As long as anything can be kept: 1000 years as Postgres has them. Further back there are no times
// to compare with.
inline constexpr std::chrono::seconds retention_max = std::chrono::hours(24) * 365'250;

// Empty, or why this cannot be: a dedup record must outlive every row that could be replayed.
std::string why_refused(const retention& rules);

// What the registry of the database says, core.retention_policies.
pg::awaitable<retention> read_retention(pg::connection& database);

struct swept
{
    std::int64_t tombstoned = 0;
    std::int64_t deleted = 0;
    // False: another process sweeps, or this one may not.
    bool ran = false;
};

// One pass over everything, in small transactions. Of all sweepers of a database one is at work at
// a time: whoever else sweeps goes first, and this returns. Without rules those of the registry
// hold. Throws retention_error for rules that are refused.
pg::awaitable<swept> sweep(pg::connection& database, std::optional<retention> rules);

}
