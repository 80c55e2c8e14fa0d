#include "sweep.hpp"

#include "confirm.hpp"
#include "event_arguments.hpp"
#include "json.hpp"
#include "progress.hpp"
#include "run.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/operations/sweep.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace cuebox::cli {

namespace {

struct sweep_options
{
    std::string database;
    std::optional<std::string> outbox_active;
    std::optional<std::string> outbox_grace;
    std::optional<std::string> handled_active;
    std::optional<std::string> handled_grace;
    std::string by;
    bool json = false;
};

void set(std::chrono::seconds& rule, std::string_view option, const std::optional<std::string>& to)
{
    if (to)
        rule = std::chrono::duration_cast<std::chrono::seconds>(parse_age(option, *to));
}

void apply(outbox::retention& rules, const sweep_options& options)
{
    set(rules.outbox_active, "--outbox-active", options.outbox_active);
    set(rules.outbox_grace, "--outbox-grace", options.outbox_grace);
    set(rules.handled_active, "--handled-active", options.handled_active);
    set(rules.handled_grace, "--handled-grace", options.handled_grace);
}

boost::asio::awaitable<int> sweep(pg::connect_options where, const sweep_options& options)
{
    pg::connection database = co_await pg::connect(where);
    auto rules = co_await outbox::read_retention(database);
    apply(rules, options);
    const std::string actor = options.by.empty() ? who_am_i() : options.by;
    const auto did = co_await operations::sweep(database, rules, actor);
    if (options.json)
        print_json(did);
    else if (!did.ran)
        std::puts("another sweep is at work: it does what is to be done");
    else
        std::printf("tombstoned %s, deleted %s\n",
                    with_commas(static_cast<std::size_t>(did.tombstoned)).c_str(),
                    with_commas(static_cast<std::size_t>(did.deleted)).c_str());
    co_return done;
}

int run_sweep(const sweep_options& options)
{
    outbox::retention tried;
    apply(tried, options); // What is no age is said before anything is connected to.
    const database where{options.database};
    return run(sweep(where.options(), options));
}

}

void add_sweep(CLI::App& app, action& chosen)
{
    auto options = std::make_shared<sweep_options>();
    auto* command =
        app.add_subcommand("sweep", "Retention, once: tombstone and delete what is old");
    add_database_option(*command, options->database);
    command
        ->add_option("--outbox-active", options->outbox_active,
                     "How long ended events stay, such as 45d; else what the database says")
        ->type_name("AGE");
    command->add_option("--outbox-grace", options->outbox_grace, "And then as tombstones")
        ->type_name("AGE");
    command
        ->add_option("--handled-active", options->handled_active,
                     "How long dedup records stay: longer than both of the above together")
        ->type_name("AGE");
    command->add_option("--handled-grace", options->handled_grace, "And then as tombstones")
        ->type_name("AGE");
    command->add_option("--by", options->by, "Who does it, for the record; else user@host");
    command->add_flag("--json", options->json, "Print as JSON");
    command->callback([options, &chosen] { chosen = [options] { return run_sweep(*options); }; });
}

}
