#include "event_show.hpp"

#include "event_arguments.hpp"
#include "event_print.hpp"
#include "json.hpp"
#include "run.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/operations/dead_letters.hpp>

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>

namespace cuebox::cli {

namespace {

struct show_options
{
    std::string database;
    std::string id;
    bool json = false;
};

boost::asio::awaitable<int> show(pg::connect_options where, const show_options& options)
{
    const event::uuid id = parse_event_id(options.id);
    pg::connection database = co_await pg::connect(where);
    const auto found = co_await operations::show_event(database, id);
    if (!found)
        throw failure{"no event " + options.id +
                      " in the outbox: `cuebox events list` and `cuebox dlq list` show which there "
                      "are; retention deletes old ones"};
    if (options.json) {
        print_json(*found);
        co_return done;
    }
    print_event(std::cout, *found);
    // A broadcast is delivered; it is its copies that fail.
    if (found->status == "delivered") {
        const operations::dlq_filter copies{.event_id = id};
        const auto count = co_await operations::count_dlq_events(database, copies);
        print_failed_copies(std::cout, id, count);
    }
    co_return done;
}

}

void add_event_show(CLI::App& parent, action& chosen)
{
    auto options = std::make_shared<show_options>();
    auto* command = parent.add_subcommand("show", "Show one event, with its payload and history");
    add_database_option(*command, options->database);
    command->add_option("id", options->id, "The event's id")->required();
    command->add_flag("--json", options->json, "Print as JSON");
    command->callback([options, &chosen] {
        chosen = [options] {
            const database where{options->database};
            return run(show(where.options(), *options));
        };
    });
}

}
