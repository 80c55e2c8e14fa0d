#include "dlq_arguments.hpp"

#include "command.hpp"

#include <cuebox/config/duration.hpp>
#include <cuebox/operations/recovery.hpp>

#include <CLI/CLI.hpp>

#include <charconv>

namespace cuebox::cli {

operations::dlq_filter dlq_arguments::read() const
{
    operations::dlq_filter made = filter;
    if (older_than)
        made.older_than = parse_age("--older-than", *older_than);
    if (newer_than)
        made.newer_than = parse_age("--newer-than", *newer_than);
    if (event)
        made.event_id = parse_event_id(*event);
    return made;
}

bool dlq_arguments::empty() const
{
    return !filter.event_type && !filter.source && !filter.target && !filter.handler &&
           !filter.error && !filter.error_class && !filter.generation && !older_than &&
           !newer_than && !event;
}

void add_dlq_filters(CLI::App& command, dlq_arguments& to)
{
    command.add_option("--type", to.filter.event_type, "Of this event type");
    command.add_option("--source", to.filter.source, "From this context");
    command.add_option("--target", to.filter.target, "For this context");
    command.add_option("--handler", to.filter.handler, "Failed in this handler");
    command.add_option("--error", to.filter.error, "With this in the error, in any case");
    command.add_option("--error-class", to.filter.error_class,
                       "With this before the error's first colon");
    command.add_option("--generation", to.filter.generation, "Of this generation");
    command.add_option("--event", to.event, "This event: all copies of a broadcast")
        ->type_name("ID");
    command.add_option("--older-than", to.older_than, "Failed longer ago, such as 90m or 7d")
        ->type_name("AGE");
    command.add_option("--newer-than", to.newer_than, "Failed since, such as 90m or 7d")
        ->type_name("AGE");
}

std::chrono::microseconds parse_age(std::string_view option, std::string_view text)
{
    const auto age = config::parse_duration(text);
    if (!age)
        throw usage_error{std::string(option) + ": \"" + std::string(text) +
                          "\" is no age: write 90s, 15m, 36h or 7d"};
    return std::chrono::duration_cast<std::chrono::microseconds>(*age);
}

double parse_rate(std::string_view text)
{
    const std::string_view number = text.ends_with("/s") ? text.substr(0, text.size() - 2) : text;
    double rate = -1;
    const auto [stopped, error] =
        std::from_chars(number.data(), number.data() + number.size(), rate);
    const bool read = error == std::errc{} && stopped == number.data() + number.size();
    if (!read || !(rate == 0 || rate >= operations::rate_min))
        throw usage_error{"--rate: \"" + std::string(text) +
                          "\" is no rate: write 500/s, down to 0.001/s, or 0 for as fast as it "
                          "goes"};
    return rate;
}

event::uuid parse_event_id(const std::string& text)
{
    const auto id = event::parse_uuid(text);
    if (!id)
        throw usage_error{"\"" + text + "\" is no event id: `cuebox dlq list` shows them"};
    return *id;
}

}
