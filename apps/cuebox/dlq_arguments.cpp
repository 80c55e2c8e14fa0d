#include "dlq_arguments.hpp"

#include "event_arguments.hpp"

#include <cuebox/cli/command.hpp>
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
    if (domain)
        made.domain_id = parse_domain(*domain);
    return made;
}

bool dlq_arguments::empty() const
{
    return !filter.event_type && !filter.source && !filter.target && !filter.handler &&
           !filter.error && !filter.error_class && !filter.generation && !older_than &&
           !newer_than && !event && !domain;
}

void add_dlq_filters(CLI::App& command, dlq_arguments& to)
{
    command.add_option("--type", to.filter.event_type, "Only this event type");
    command.add_option("--source", to.filter.source, "Only events from this context");
    command.add_option("--target", to.filter.target, "Only events for this context");
    command.add_option("--domain", to.domain, "Only events of this domain")->type_name("UUID");
    command.add_option("--handler", to.filter.handler, "Only events that failed in this handler");
    command.add_option("--error", to.filter.error,
                       "Only errors that contain this text, upper or lower case");
    command.add_option("--error-class", to.filter.error_class,
                       "Only errors that have this text before their first colon");
    command.add_option("--generation", to.filter.generation, "Only events of this generation");
    command.add_option("--event", to.event, "Only this event: all copies of a broadcast")
        ->type_name("ID");
    command.add_option("--older-than", to.older_than, "Failed longer ago, such as 90m or 7d")
        ->type_name("AGE");
    command.add_option("--newer-than", to.newer_than, "Failed since, such as 90m or 7d")
        ->type_name("AGE");
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

}
