#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/migrate.hpp>
#include <cuebox/pg/transaction.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

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

constexpr pg::statement limit_lock_waits{.name = "limit lock waits",
                                         .sql = "select set_config('lock_timeout', $1, true)"};

using group = std::vector<migration_state>;

const migration& file_of(const migration_state& state)
{
    return *std::ranges::find(migrations(), state.version, &migration::version);
}

// Others held a table for too long, or wait for one that we hold.
bool stood_in_the_way(const pg::error& failure)
{
    return failure.sqlstate() == "55P03" || failure.sqlstate() == "40P01";
}

pg::awaitable<void> apply_all(pg::transaction& work, const group& files, std::string lock_wait)
{
    co_await work.execute(limit_lock_waits, lock_wait);
    for (const migration_state& each : files) {
        const migration& file = file_of(each);
        const pg::statement script{.name = file.name, .sql = file.sql};
        co_await work.run_script(script);
        co_await work.execute(record_migration, file.version, file.name, file.checksum);
    }
    co_await work.commit();
}

// False: nothing was done, the locks were not to be had in time.
pg::awaitable<bool> try_apply(pg::connection& database, const group& files,
                              std::chrono::milliseconds lock_wait)
{
    pg::transaction work(database);
    const std::string longest = std::to_string(lock_wait.count()) + "ms";
    bool done = false;
    try {
        co_await apply_all(work, files, longest);
        done = true;
    }
    catch (const pg::error& failure) {
        if (!stood_in_the_way(failure))
            throw;
    }
    if (!done && work.open())
        co_await work.rollback();
    co_return done;
}

[[noreturn]] void give_up(const migration_state& on, const migrate_options& options)
{
    throw migration_error(
        "migration " + on.version + "_" + on.name + " did not get at its tables, " +
        std::to_string(options.lock_attempts) + " times for " +
        std::to_string(options.lock_wait.count()) +
        " ms each: some transaction holds them. Nothing of it was applied. Find the transaction "
        "(`select pid, xact_start, state, application_name from pg_stat_activity order by "
        "xact_start`), end it, and migrate again");
}

pg::awaitable<void> apply(pg::connection& database, const group& files,
                          const migrate_options& options)
{
    const auto executor = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer pause{executor};
    for (int attempt = 1;; ++attempt) {
        const bool done = co_await try_apply(database, files, options.lock_wait);
        if (done)
            co_return;
        if (attempt >= options.lock_attempts)
            give_up(files.front(), options);
        if (options.waiting)
            options.waiting(files.front(), attempt);
        pause.expires_after(options.lock_pause);
        co_await pause.async_wait(boost::asio::use_awaitable);
    }
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
    if (options.without_roles)
        refuse_without_roles(states);
    std::vector<migration_state> done;
    const auto groups = group_pending(states);
    for (const group& each : groups) {
        if (done.empty())
            co_await database.run_script(prepare_migrations);
        if (options.progress)
            std::ranges::for_each(each, options.progress);
        co_await apply(database, each, options);
        done.insert(done.end(), each.begin(), each.end());
    }
    co_await lock.rollback();
    co_return done;
}

}
