#include <cuebox/outbox/migrate.hpp>
#include <cuebox/pg/transaction.hpp>

#include <algorithm>

namespace cuebox::outbox {

namespace {

// "cuebox" in ASCII: whoever migrates holds this lock. Its transaction has nothing to do until the
// last migration is done, so a timeout for idle ones would end it, and let another process in.
constexpr pg::statement lock_migrations{.name = "lock migrations", .sql = R"(
select pg_advisory_xact_lock(x'637565626f78'::bigint),
    set_config('idle_in_transaction_session_timeout', '0', true))"};

constexpr pg::statement find_migrations{
    .name = "find migrations", .sql = "select to_regclass('core.schema_migrations') is not null"};

constexpr pg::statement prepare_migrations{.name = "prepare migrations", .sql = R"(
create schema if not exists core;
create table if not exists core.schema_migrations (
    version    text        primary key,
    name       text        not null,
    checksum   text        not null,
    applied_at timestamptz not null default now()
);)"};

constexpr pg::statement list_migrations{
    .name = "list migrations",
    .sql =
        "select version, name, checksum, applied_at from core.schema_migrations order by version"};

constexpr pg::statement record_migration{
    .name = "record migration",
    .sql = "insert into core.schema_migrations (version, name, checksum) values ($1, $2, $3)"};

pg::awaitable<void> apply(pg::connection& database, const migration& file)
{
    pg::transaction work(database);
    co_await work.run_script({.name = file.name, .sql = file.sql});
    pg::pipeline last;
    last.add(record_migration, file.version, file.name, file.checksum);
    co_await work.commit_with(std::move(last));
}

}

pg::awaitable<std::vector<migration_state>> migration_states(pg::connection& database,
                                                             bool without_roles)
{
    std::vector<applied_migration> applied;
    const bool prepared = co_await database.query_one<bool>(find_migrations);
    if (prepared)
        applied = co_await database.query<applied_migration>(list_migrations);
    co_return compare_migrations(migrations(), applied, without_roles);
}

pg::awaitable<std::vector<migration_state>> migrate(pg::connect_options where)
{
    return migrate(std::move(where), migrate_options{});
}

pg::awaitable<std::vector<migration_state>> migrate(pg::connect_options where,
                                                    migrate_options options)
{
    where.statement_deadline = options.each;
    where.prepared_max = 0;
    pg::connection guard = co_await pg::connect(where);
    pg::transaction lock(guard);
    co_await lock.execute(lock_migrations);

    pg::connection database = co_await pg::connect(where);
    const auto states = co_await migration_states(database, options.without_roles);
    refuse_edited(states);
    std::vector<migration_state> done;
    for (const migration_state& each : states) {
        if (each.status != migration_status::pending)
            continue;
        if (done.empty())
            co_await database.run_script(prepare_migrations);
        if (options.progress)
            options.progress(each);
        const auto file = std::ranges::find(migrations(), each.version, &migration::version);
        co_await apply(database, *file);
        done.push_back(each);
    }
    co_await lock.rollback();
    co_return done;
}

}
