#include "dlq_print.hpp"

#include "event_words.hpp"
#include "printable.hpp"
#include "progress.hpp"
#include "table.hpp"
#include "terminal.hpp"

#include <iostream>

namespace cuebox::cli {

namespace {

// What a name and a text are cut to at the most.
constexpr std::size_t least_name = 14;
constexpr std::size_t least_text = 20;

// A few lines for each, where a row of a table would not fit.
void print_stacked(const std::vector<operations::dlq_event>& events, std::size_t columns)
{
    std::cout << first_line_head("FAILED", columns) << '\n';
    for (const operations::dlq_event& each : events) {
        const std::size_t third = columns / 3;
        const std::string circumstances =
            "  " + fit(way(each.source, each.target), third) + "  " +
            fit(or_dash(each.handler), third) + "  generation " + std::to_string(each.generation) +
            "  " + retries(each.attempts) + "  cycle " + std::to_string(each.cycle);
        std::cout << first_line(each.id, each.failed_at, each.event_type, columns) << '\n'
                  << fit(circumstances, columns) << '\n'
                  << fit("  " + or_dash(each.last_error), columns) << '\n';
    }
}

table rows_of(const std::vector<operations::dlq_event>& events)
{
    table shown{{"FAILED",
                 "ID",
                 {"TYPE", least_name},
                 {"FROM → FOR", least_name},
                 "GENERATION",
                 {"HANDLER", least_name},
                 "RETRIES",
                 "CYCLE",
                 {"ERROR", least_text}}};
    for (const operations::dlq_event& each : events)
        shown.add(
            {print_time(each.failed_at), event::print_uuid(each.id), printable(each.event_type),
             way(each.source, each.target), std::to_string(each.generation), or_dash(each.handler),
             std::to_string(each.attempts), std::to_string(each.cycle), or_dash(each.last_error)});
    return shown;
}

}

void print_dlq_page(const operations::dlq_page& page)
{
    if (page.events.empty()) {
        std::cout << "no dead letters\n";
        return;
    }
    const auto columns = columns_for_lists();
    const table shown = rows_of(page.events);
    if (shown.fits(columns))
        shown.print();
    else
        print_stacked(page.events, *columns);
    if (page.next)
        std::cout << "there are more: continue with\n" << after(*page.next) << '\n';
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
    table shown{{"EVENTS", "OLDEST", "NEWEST", {what, least_name}}};
    for (const operations::dlq_group& each : groups) {
        const std::string name =
            by == operations::dlq_grouping::error ? or_dash(each.error_class)
            : by == operations::dlq_grouping::type
                ? or_dash(each.event_type) + "  " + way(each.source.value_or(""), each.target)
                : or_dash(each.handler);
        shown.add({with_commas(static_cast<std::size_t>(each.events)), print_time(each.oldest_at),
                   print_time(each.newest_at), name});
    }
    shown.print();
}

}
