#include "migrate.hpp"

#include "progress.hpp"
#include "run.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/event/encode.hpp>
#include <cuebox/outbox/migrate.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <iostream>
#include <memory>

namespace cuebox::cli {

// What is printed with --json.
struct migration_line
{
    std::string version;
    std::string name;
    std::string status;
    std::optional<event::timestamp> applied_at;
};

struct migrations_report
{
    std::vector<migration_line> migrations;
};

namespace {

struct migrate_options
{
    std::string database;
    bool status = false;
    bool dry_run = false;
    bool without_roles = false;
    bool json = false;
};

constexpr std::string_view roles_note =
    "without roles: nobody but this user may use the schema; grant what is needed by hand "
    "(docs/migrations.md)\n";

void print(const std::vector<outbox::migration_state>& states, std::string_view status, bool json)
{
    migrations_report report;
    for (const auto& each : states)
        report.migrations.push_back(
            {.version = each.version,
             .name = each.name,
             .status = std::string(status.empty() ? to_string(each.status) : status),
             .applied_at = each.applied_at});
    if (json) {
        std::cout << event::encode(report) << '\n';
        return;
    }
    for (const migration_line& each : report.migrations)
        std::printf("%-8s %s_%s\n", each.status.c_str(), each.version.c_str(), each.name.c_str());
}

boost::asio::awaitable<int> show(pg::connect_options where, const migrate_options& options)
{
    pg::connection database = co_await pg::connect(where);
    auto states = co_await outbox::migration_states(database, options.without_roles);
    if (options.dry_run) {
        outbox::refuse_edited(states);
        if (options.without_roles)
            outbox::refuse_without_roles(states);
        std::erase_if(states, [](const outbox::migration_state& each) {
            return each.status != outbox::migration_status::pending;
        });
        print(states, "would apply", options.json);
        if (states.empty() && !options.json)
            std::puts("nothing to apply: the schema is up to date");
        co_return done;
    }
    print(states, "", options.json);
    co_return done;
}

boost::asio::awaitable<int> apply(pg::connect_options where, const migrate_options& options)
{
    outbox::migrate_options how{.without_roles = options.without_roles};
    if (!options.json) {
        how.progress = [](const outbox::migration_state& each) {
            std::fprintf(stderr, "applying %s_%s\n", each.version.c_str(), each.name.c_str());
        };
        how.waiting = [most = how.lock_attempts](const outbox::migration_state& each, int times) {
            std::fprintf(stderr, "waiting for others to let go of the tables of %s_%s: %d of %d\n",
                         each.version.c_str(), each.name.c_str(), times, most);
        };
    }
    const auto applied = co_await outbox::migrate(where, how);
    if (options.json)
        print(applied, "applied", true);
    else if (applied.empty())
        std::puts("the schema is up to date");
    else
        std::printf("applied %s\n", counted(applied.size(), "migration").c_str());
    co_return done;
}

int run_migrate(const migrate_options& options)
{
    const database where{options.database};
    if (options.without_roles && !options.json)
        std::cerr << roles_note;
    return run(options.status || options.dry_run ? show(where.options(), options)
                                                 : apply(where.options(), options));
}

}

void add_migrate(CLI::App& app, action& chosen)
{
    auto options = std::make_shared<migrate_options>();
    auto* command = app.add_subcommand("migrate", "Bring the database schema up to date");
    add_database_option(*command, options->database);
    auto* status =
        command->add_flag("--status", options->status, "Tell where each migration stands");
    command->add_flag("--dry-run", options->dry_run, "Tell what would be applied")
        ->excludes(status);
    command->add_flag("--without-roles", options->without_roles,
                      "Leave roles and grants out, for users who may not create roles");
    command->add_flag("--json", options->json, "Print as JSON");
    command->callback([options, &chosen] { chosen = [options] { return run_migrate(*options); }; });
}

}
