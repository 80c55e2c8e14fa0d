#include "dlq_print.hpp"

#include "progress.hpp"
#include "table.hpp"
#include "terminal.hpp"

#include <iostream>

namespace cuebox::cli {

namespace {

constexpr std::size_t error_shown = 100;

std::string or_dash(const std::optional<std::string>& text)
{
    return text ? printable(*text) : "-";
}

// A broadcast is for all.
std::string way(const std::string& source, const std::optional<std::string>& target)
{
    return printable(source) + " → " + (target ? printable(*target) : "all");
}

std::string retries(std::int32_t used)
{
    return std::to_string(used) + (used == 1 ? " retry" : " retries");
}

void print_line(std::string_view name, const std::string& value)
{
    constexpr std::size_t width = 14;
    std::cout << name << std::string(width - columns_of(name), ' ') << value << '\n';
}

void print_line(std::string_view name, const std::optional<std::string>& value)
{
    if (value)
        print_line(name, printable(*value));
}

std::string describe(const operations::failure_cycle& cycle)
{
    std::string text = "cycle " + std::to_string(cycle.cycle) + "  failed " +
                       print_time(cycle.failed_at) + " after " + retries(cycle.attempts);
    if (cycle.handler)
        text += " in " + printable(*cycle.handler);
    text += ", first at " + print_time(cycle.first_failed_at);
    text += "\n           " + or_dash(cycle.last_error);
    if (cycle.replayed_at)
        text += "\n           replayed " + print_time(cycle.replayed_at) + " by " +
                or_dash(cycle.replayed_by);
    if (cycle.discarded_at)
        text += "\n           discarded " + print_time(cycle.discarded_at) + " by " +
                or_dash(cycle.discarded_by);
    return text;
}

void print_trouble(const operations::dlq_event_detail& event)
{
    if (!event.last_error && !event.handler)
        return;
    print_line("error", event.last_error);
    print_line("handler", event.handler);
    print_line("worker", event.worker);
    print_line("first failed", print_time(event.first_failed_at));
    if (event.failed_at)
        print_line("failed", print_time(event.failed_at));
}

// A few lines for each, where a row of a table would not fit.
void print_stacked(const std::vector<operations::dlq_event>& events, std::size_t columns)
{
    for (const operations::dlq_event& each : events)
        std::cout << print_time(each.failed_at) << "  " << event::print_uuid(each.id) << "  "
                  << printable(each.event_type) << "\n  " << way(each.source, each.target)
                  << "  generation " << each.generation << "  " << or_dash(each.handler) << "  "
                  << retries(each.attempts) << "  cycle " << each.cycle << "\n  "
                  << fit(or_dash(each.last_error), columns - 2) << '\n';
}

void print_rows(const std::vector<operations::dlq_event>& events)
{
    table shown{{"FAILED", "ID", "TYPE", "FROM → FOR", "GENERATION", "HANDLER", "RETRIES", "CYCLE",
                 "ERROR"}};
    for (const operations::dlq_event& each : events)
        shown.add({print_time(each.failed_at), event::print_uuid(each.id),
                   printable(each.event_type), way(each.source, each.target),
                   std::to_string(each.generation), or_dash(each.handler),
                   std::to_string(each.attempts), std::to_string(each.cycle),
                   fit(or_dash(each.last_error), error_shown)});
    shown.print();
}

}

void print_dlq_page(const operations::dlq_page& page)
{
    constexpr std::size_t table_width = 160;
    if (page.events.empty()) {
        std::cout << "no dead letters\n";
        return;
    }
    const std::size_t columns = size_of_terminal().columns;
    if (draws() && columns < table_width)
        print_stacked(page.events, columns);
    else
        print_rows(page.events);
    if (page.next)
        std::cout << "there are more: --after " << *page.next << '\n';
}

void print_dlq_groups(const std::vector<operations::dlq_group>& groups, operations::dlq_grouping by)
{
    if (groups.empty()) {
        std::cout << "no dead letters\n";
        return;
    }
    const char* const what = by == operations::dlq_grouping::error  ? "ERROR"
                             : by == operations::dlq_grouping::type ? "TYPE"
                                                                    : "HANDLER";
    table shown{{"EVENTS", "OLDEST", "NEWEST", what}};
    for (const operations::dlq_group& each : groups) {
        const std::string name =
            by == operations::dlq_grouping::error ? or_dash(each.error_class)
            : by == operations::dlq_grouping::type
                ? or_dash(each.event_type) + "  " + way(each.source.value_or(""), each.target)
                : or_dash(each.handler);
        shown.add({with_commas(static_cast<std::size_t>(each.events)), print_time(each.oldest_at),
                   print_time(each.newest_at), fit(name, error_shown)});
    }
    shown.print();
}

void print_dlq_event(const operations::dlq_event_detail& event)
{
    print_line("event", event::print_uuid(event.event_id));
    if (event.event_id != event.id)
        print_line("row", event::print_uuid(event.id) + ", a copy of a broadcast");
    print_line("type",
               printable(event.event_type) + " version " + std::to_string(event.event_version));
    print_line("from → for", way(event.source, event.target));
    print_line("status",
               event.status + (event.deleted_at ? ", deleted " : "") +
                   (event.deleted_at ? print_time(event.deleted_at) : "") + ", cycle " +
                   std::to_string(event.history.size() +
                                  (event.status == "failed" && event.deleted_at ? 0 : 1)) +
                   ", " + retries(event.attempts));
    print_line("generation",
               std::to_string(event.generation) + ", channel " + printable(event.channel));
    print_trouble(event);
    print_line("occurred", print_time(event.occurred_at));
    print_line("created", print_time(event.created_at));
    if (event.delivered_at)
        print_line("delivered", print_time(event.delivered_at));
    if (event.domain_id)
        print_line("domain", event::print_uuid(*event.domain_id));
    print_line("key", printable(event.idempotency_key));
    print_line("trace", event.trace_context);
    print_line("payload", printable(event.payload.text));
    for (const auto& each : event.history)
        std::cout << describe(each) << '\n';
    for (const auto& each : event.handled)
        std::cout << "handled  " << print_time(each.handled_at) << " by " << printable(each.handler)
                  << '\n';
    for (const auto& each : event.actions)
        std::cout << "action   " << print_time(each.at) << ' ' << each.action << " by "
                  << or_dash(each.actor) << " (database user " << printable(each.database_user)
                  << ") " << printable(each.detail.text) << '\n';
}

void print_failed_copies(event::uuid of, std::int64_t count)
{
    if (count > 0)
        print_line("copies", with_commas(static_cast<std::size_t>(count)) +
                                 " failed, see `cuebox dlq list --event " + event::print_uuid(of) +
                                 "`");
}

}
