#pragma once

#include <cuebox/event/uuid.hpp>
#include <cuebox/operations/events.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace cuebox::cli {

// Which events `cuebox events list` is about, as it was typed.
struct event_arguments
{
    std::string status = "pending";
    operations::event_filter filter{};
    std::optional<std::string> older_than;
    std::optional<std::string> newer_than;
    std::optional<std::string> domain;
    bool due = false;
    bool waiting = false;

    // The filter with everything in it; a usage_error for what is no age, no id, or no sense.
    operations::event_filter read() const;
};

void add_event_filters(CLI::App& command, event_arguments& to);

// "90s", "36h", "7d".
std::chrono::microseconds parse_age(std::string_view option, std::string_view text);
// A usage_error that names what is none.
event::uuid parse_event_id(const std::string& text);
event::uuid parse_domain(const std::string& text);

}
