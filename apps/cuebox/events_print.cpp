#include "events_print.hpp"

#include "event_words.hpp"
#include "printable.hpp"
#include "table.hpp"
#include "terminal.hpp"

#include <iostream>

namespace cuebox::cli {

namespace {

using operations::event_status;
using operations::listed_event;

// What a name and a text are cut to at the most.
constexpr std::size_t least_name = 14;
constexpr std::size_t least_text = 20;

// What is of interest beside the envelope differs from status to status.
std::vector<table::column> columns_for(event_status status)
{
    std::vector<table::column> columns{"PUBLISHED",          "ID",
                                       {"TYPE", least_name}, {"FROM → FOR", least_name},
                                       "GENERATION",         "RETRIES"};
    switch (status) {
    case event_status::pending:
        columns.insert(columns.end(), {{"DUE"}, {"LAST ERROR", least_text}});
        break;
    case event_status::in_flight:
        columns.insert(columns.end(), {{"CLAIMED"}, {"WORKER", least_text}});
        break;
    case event_status::delivered:
        columns.emplace_back("DELIVERED");
        break;
    case event_status::failed:
        columns.insert(columns.end(), {{"FAILED"}, {"ERROR", least_text}});
        break;
    }
    return columns;
}

struct state_cells
{
    std::string name;
    std::string at;
    // Empty for a status that has none.
    std::string text;
};

state_cells state_of(const listed_event& event, event_status status)
{
    switch (status) {
    case event_status::pending:
        return {"due", print_time(event.available_at), or_dash(event.last_error)};
    case event_status::in_flight:
        return {"claimed", print_time(event.claimed_at), or_dash(event.worker)};
    case event_status::delivered:
        return {"delivered", print_time(event.delivered_at), {}};
    case event_status::failed:
        return {"failed", print_time(event.failed_at), or_dash(event.last_error)};
    }
    return {};
}

table rows_of(const std::vector<listed_event>& events, event_status status)
{
    table shown{columns_for(status)};
    for (const listed_event& each : events) {
        const state_cells state = state_of(each, status);
        std::vector<std::string> row{print_time(each.created_at),
                                     event::print_uuid(each.id),
                                     printable(each.event_type),
                                     way(each.source, each.target),
                                     std::to_string(each.generation),
                                     std::to_string(each.attempts),
                                     state.at};
        if (!state.text.empty())
            row.push_back(state.text);
        shown.add(std::move(row));
    }
    return shown;
}

// A few lines for each, where a row of a table would not fit.
void print_stacked(const std::vector<listed_event>& events, event_status status,
                   std::size_t columns)
{
    std::cout << first_line_head("PUBLISHED", columns) << '\n';
    for (const listed_event& each : events) {
        const state_cells state = state_of(each, status);
        std::cout << first_line(each.id, each.created_at, each.event_type, columns) << '\n'
                  << fit("  " + fit(way(each.source, each.target), columns / 3) + "  generation " +
                             std::to_string(each.generation) + "  " + retries(each.attempts) +
                             "  " + state.name + " " + state.at,
                         columns)
                  << '\n';
        if (!state.text.empty() && state.text != "-")
            std::cout << fit("  " + state.text, columns) << '\n';
    }
}

}

void print_events_page(const operations::event_page& page, event_status status)
{
    const auto columns = columns_for_lists();
    const table shown = rows_of(page.events, status);
    if (page.events.empty())
        std::cout << "no " << operations::name_of(status) << " events"
                  << (page.looked_until ? " so far" : "") << '\n';
    else if (shown.fits(columns))
        shown.print();
    else
        print_stacked(page.events, status, *columns);
    if (page.looked_until)
        std::cout << "searched up to the events published at " << print_time(page.looked_until)
                  << ": continue with\n"
                  << after(*page.next) << "\nor search less with --newer-than or --generation\n";
    else if (page.next)
        std::cout << "there are more: continue with\n" << after(*page.next) << '\n';
}

}
