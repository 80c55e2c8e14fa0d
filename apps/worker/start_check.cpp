#include <cuebox/outbox/roles.hpp>
#include <cuebox/pg/connection.hpp>
#include <cuebox/worker/start_check.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <stdexcept>

namespace cuebox::worker {

namespace {

// In the catalog, which everybody may read: a table of the first migration, and a function of the
// latest that a worker cannot do without.
constexpr pg::statement find_table{
    .name = "find table",
    .sql = "select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n "
           "on n.oid = c.relnamespace where n.nspname = 'core' and c.relname = $1)"};
constexpr pg::statement find_function{
    .name = "find function",
    .sql = "select exists (select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n "
           "on n.oid = p.pronamespace where n.nspname = 'core' and p.proname = $1)"};

awaitable<void> check_schema(pg::connection& on)
{
    const bool there = co_await on.query_one<bool>(find_table, "outbox");
    if (!there)
        throw std::runtime_error("the database has no Cuebox schema: run `cuebox migrate`");
    const bool recent = co_await on.query_one<bool>(find_function, "outbox_trace_of");
    if (!recent)
        throw std::runtime_error("the database's schema is older than this program: run `cuebox "
                                 "migrate`");
    // It would only warn, and wait for a right that nobody knows is missing.
    const std::string denied = co_await outbox::why_no_worker(on);
    if (!denied.empty())
        throw std::runtime_error(denied);
}

awaitable<void> check_each(pg::connection& on, const std::vector<context_plan>& plans)
{
    for (const context_plan& plan : plans)
        for (const handling::handler& each : plan.handlers)
            if (each.check)
                co_await each.check(on);
}

}

bool needs_database(const std::vector<context_plan>& plans)
{
    return std::ranges::any_of(plans, [](const context_plan& plan) {
        return std::ranges::any_of(plan.handlers,
                                   [](const auto& each) { return static_cast<bool>(each.check); });
    });
}

awaitable<void> check_database(pg::connect_options database, std::vector<context_plan> plans)
{
    database.prepared_max = 0;
    auto connection = co_await pg::connect(std::move(database));
    co_await check_schema(connection);
    co_await check_each(connection, plans);
}

awaitable<void> check_handlers(pg::connect_options database, std::vector<context_plan> plans)
{
    if (!needs_database(plans))
        co_return;
    database.prepared_max = 0;
    auto connection = co_await pg::connect(std::move(database));
    co_await check_each(connection, plans);
}

void check_plans(std::vector<context_plan> plans, pg::connect_options database)
{
    asio::io_context io{1};
    auto checked =
        asio::co_spawn(io, check_database(std::move(database), std::move(plans)), asio::use_future);
    io.run();
    checked.get();
}

void check_config(const worker_config& config, const registry& handlers,
                  pg::connect_options database)
{
    check_plans(plan_contexts(config, handlers), std::move(database));
}

}
