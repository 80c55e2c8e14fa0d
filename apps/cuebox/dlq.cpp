#include "dlq.hpp"

#include "dlq_arguments.hpp"
#include "dlq_change.hpp"
#include "dlq_print.hpp"
#include "event_show.hpp"
#include "json.hpp"
#include "run.hpp"

#include <cuebox/cli/database.hpp>

#include <CLI/CLI.hpp>

#include <memory>

namespace cuebox::cli {

// What is printed with --json.
struct dlq_groups
{
    std::vector<operations::dlq_group> groups;
};

namespace {

struct list_options
{
    std::string database;
    dlq_arguments which;
    operations::dlq_paging paging;
    std::string group_by;
    bool json = false;
};

boost::asio::awaitable<int> list(pg::connect_options where, const list_options& options)
{
    const auto filter = options.which.read();
    pg::connection database = co_await pg::connect(where);
    const auto page = co_await operations::list_dlq_events(database, filter, options.paging);
    if (options.json)
        print_json(page);
    else
        print_dlq_page(page);
    co_return done;
}

boost::asio::awaitable<int> group(pg::connect_options where, const list_options& options)
{
    const auto by = options.group_by == "error"  ? operations::dlq_grouping::error
                    : options.group_by == "type" ? operations::dlq_grouping::type
                                                 : operations::dlq_grouping::handler;
    const auto filter = options.which.read();
    pg::connection database = co_await pg::connect(where);
    const auto groups = co_await operations::group_dlq_events(database, filter, by);
    if (options.json)
        print_json(dlq_groups{groups});
    else
        print_dlq_groups(groups, by);
    co_return done;
}

void add_list(CLI::App& dlq, action& chosen)
{
    auto options = std::make_shared<list_options>();
    auto* command = dlq.add_subcommand("list", "List dead letters, the last failed first");
    add_database_option(*command, options->database);
    add_dlq_filters(*command, options->which);
    command->add_option("--limit", options->paging.limit, "Maximum number to list")
        ->check(CLI::Range(1, 100'000))
        ->capture_default_str();
    command->add_option("--after", options->paging.after,
                        "Continue where the previous page ended; that page prints the value");
    command->add_flag("--oldest-first", options->paging.oldest_first, "Oldest first");
    command
        ->add_option("--group-by", options->group_by,
                     "Count dead letters by error, type or handler")
        ->check(CLI::IsMember({"error", "type", "handler"}));
    command->add_flag("--json", options->json, "Print as JSON");
    command->callback([options, &chosen] {
        chosen = [options] {
            const database where{options->database};
            return run(options->group_by.empty() ? list(where.options(), *options)
                                                 : group(where.options(), *options));
        };
    });
}

}

void add_dlq(CLI::App& app, action& chosen)
{
    auto* dlq = app.add_subcommand("dlq", "Dead letters: events that failed for good");
    dlq->require_subcommand(1);
    add_list(*dlq, chosen);
    add_event_show(*dlq, chosen);
    add_dlq_replay(*dlq, chosen);
    add_dlq_discard(*dlq, chosen);
}

}
