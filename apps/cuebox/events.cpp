#include "events.hpp"

#include "event_arguments.hpp"
#include "event_show.hpp"
#include "events_print.hpp"
#include "json.hpp"
#include "run.hpp"

#include <cuebox/cli/database.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace cuebox::cli {

namespace {

struct list_options
{
    std::string database;
    event_arguments which;
    operations::event_paging paging;
    bool json = false;
};

boost::asio::awaitable<int> list(pg::connect_options where, const list_options& options)
{
    const auto filter = options.which.read();
    pg::connection database = co_await pg::connect(where);
    const auto page = co_await operations::read_events(database, filter, options.paging);
    if (options.json)
        print_json(page);
    else
        print_events_page(page, filter.status);
    co_return done;
}

void add_list(CLI::App& events, action& chosen)
{
    auto options = std::make_shared<list_options>();
    auto* command = events.add_subcommand(
        "list", "List events of one status, pending by default, oldest first");
    add_database_option(*command, options->database);
    add_event_filters(*command, options->which);
    command->add_option("--limit", options->paging.limit, "Maximum number to list")
        ->check(CLI::Range(1, 10'000))
        ->capture_default_str();
    command->add_option("--after", options->paging.after,
                        "Continue where the previous page ended; that page prints the value");
    command->add_flag("--json", options->json, "Print as JSON");
    command->callback([options, &chosen] {
        chosen = [options] {
            const database where{options->database};
            return run(list(where.options(), *options));
        };
    });
}

}

void add_events(CLI::App& app, action& chosen)
{
    auto* events = app.add_subcommand("events", "Events of the outbox, in any state");
    events->require_subcommand(1);
    add_list(*events, chosen);
    add_event_show(*events, chosen);
}

}
