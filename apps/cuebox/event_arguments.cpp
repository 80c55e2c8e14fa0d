#include "event_arguments.hpp"

#include <cuebox/cli/command.hpp>
#include <cuebox/config/duration.hpp>

#include <CLI/CLI.hpp>

#include <charconv>

namespace cuebox::cli {

namespace {

// CLI11 has checked that it is one.
operations::event_status parse_status(std::string_view text)
{
    using operations::event_status;
    for (const auto each : {event_status::in_flight, event_status::delivered, event_status::failed})
        if (text == operations::name_of(each))
            return each;
    return event_status::pending;
}

}

operations::event_filter event_arguments::read() const
{
    operations::event_filter made = filter;
    made.status = parse_status(status);
    if (older_than)
        made.older_than = parse_age("--older-than", *older_than);
    if (newer_than)
        made.newer_than = parse_age("--newer-than", *newer_than);
    if (domain)
        made.domain_id = parse_domain(*domain);
    if (due && waiting)
        throw usage_error{"--due and --waiting exclude each other: give one of them, or neither"};
    if ((due || waiting) && made.status != operations::event_status::pending)
        throw usage_error{"--due and --waiting are about pending events: leave out --status " +
                          status + ", or them"};
    if (due || waiting)
        made.due = due;
    return made;
}

void add_event_filters(CLI::App& command, event_arguments& to)
{
    command.add_option("--status", to.status, "Status of the events to list")
        ->check(CLI::IsMember({"pending", "in_flight", "delivered", "failed"}))
        ->capture_default_str();
    command.add_option("--type", to.filter.event_type, "Only this event type");
    command.add_option("--source", to.filter.source, "Only events from this context");
    command.add_option("--target", to.filter.target, "Only events for this context");
    command.add_option("--domain", to.domain, "Only events of this domain")->type_name("UUID");
    command.add_option("--key", to.filter.idempotency_key, "Only this idempotency key");
    command.add_option("--generation", to.filter.generation, "Only events of this generation");
    command.add_option("--older-than", to.older_than, "Published longer ago, such as 90m or 7d")
        ->type_name("AGE");
    command.add_option("--newer-than", to.newer_than, "Published since, such as 90m or 7d")
        ->type_name("AGE");
    command.add_flag("--due", to.due, "Only events that can be claimed now");
    command.add_flag("--waiting", to.waiting, "Only events that wait for their time");
}

std::chrono::microseconds parse_age(std::string_view option, std::string_view text)
{
    constexpr std::int64_t days_max = 100'000;
    if (text.ends_with('d')) {
        std::int64_t days = 0;
        const std::string_view digits = text.substr(0, text.size() - 1);
        const char* const end = digits.data() + digits.size();
        const auto [stopped, error] = std::from_chars(digits.data(), end, days);
        if (error == std::errc{} && stopped == end && days >= 0 && days <= days_max)
            return std::chrono::days(days);
    }
    else if (const auto age = config::parse_duration(text)) {
        return std::chrono::duration_cast<std::chrono::microseconds>(*age);
    }
    throw usage_error{std::string(option) + ": \"" + std::string(text) +
                      "\" is no age: write 90s, 15m, 36h or 7d"};
}

event::uuid parse_event_id(const std::string& text)
{
    const auto id = event::parse_uuid(text);
    if (!id)
        throw usage_error{"\"" + text +
                          "\" is no event id: `cuebox events list` and `cuebox dlq list` show "
                          "them"};
    return *id;
}

event::uuid parse_domain(const std::string& text)
{
    const auto id = event::parse_uuid(text);
    if (!id)
        throw usage_error{"--domain: \"" + text +
                          "\" is no domain: write its UUID, 32 hexadecimal digits with dashes"};
    return *id;
}

}
