#pragma once

#include <cuebox/operations/status.hpp>

namespace cuebox::operations {

// From where on something is a warning.
struct warning_limits
{
    // Of the notification queue: at 1 every NOTIFY fails, and with it every publish.
    double notify_queue_usage = 0.25;
    // How old a snapshot may be before its holder is named.
    std::chrono::seconds xmin_seconds = std::chrono::minutes(5);
    std::int64_t xmin_age = 1'000'000;
};

// Pure: what in a status wants a hand, the most pressing first.
std::vector<warning> find_warnings(const status& seen, const warning_limits& limits = {});

// Whether a snapshot is so old that its holder is named.
bool is_old(const outbox::xmin_holder& holder, const warning_limits& limits = {});

// "4 s", "12 min", "3 h", "2 days".
std::string print_age(double seconds);

}
