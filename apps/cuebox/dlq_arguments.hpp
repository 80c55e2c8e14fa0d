#pragma once

#include <cuebox/operations/dead_letters.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace cuebox::cli {

// Which dead letters a command is about, as it was typed.
struct dlq_arguments
{
    operations::dlq_filter filter{};
    std::optional<std::string> older_than;
    std::optional<std::string> newer_than;
    std::optional<std::string> event;
    std::optional<std::string> domain;

    // The filter with everything in it; a usage_error for what is no age, or no id.
    operations::dlq_filter read() const;
    // Nothing was said: all dead letters.
    bool empty() const;
};

// Adds --type, --source, --target, --handler, --error, --error-class, --generation, --event,
// --domain, --older-than and --newer-than.
void add_dlq_filters(CLI::App& command, dlq_arguments& to);

// "500/s" or "500"; 0 is no limit.
double parse_rate(std::string_view text);

}
