#include "database.hpp"

#include <cuebox/outbox/migrate.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

namespace bench::publish {
namespace {

namespace asio = boost::asio;
namespace pg = cuebox::pg;

constexpr pg::statement empty_outbox{.name = "empty outbox", .sql = "truncate core.outbox"};
constexpr pg::statement checkpoint{.name = "checkpoint", .sql = "checkpoint"};
constexpr pg::statement count_rows{.name = "count rows", .sql = "select count(*) from core.outbox"};
constexpr pg::statement read_settings{.name = "read settings", .sql = R"(
select 'Postgres ' || current_setting('server_version') || ': ' ||
    string_agg(name || ' ' || current_setting(name), ', ' order by name)
from unnest('{fsync, full_page_writes, max_wal_size, shared_buffers, synchronous_commit}'::text[])
    as name)"};

template <class T>
T wait_for(pg::awaitable<T> work)
{
    asio::io_context io{1};
    auto result = asio::co_spawn(io, std::move(work), asio::use_future);
    io.run();
    return result.get();
}

pg::awaitable<void> clear_outbox(pg::connect_options where)
{
    pg::connection connection = co_await pg::connect(where);
    co_await connection.execute(empty_outbox);
    co_await connection.execute(checkpoint);
}

template <class T>
pg::awaitable<T> ask(pg::connect_options where, pg::statement what)
{
    pg::connection connection = co_await pg::connect(where);
    const T answer = co_await connection.query_one<T>(what);
    co_return answer;
}

}

database::database()
{
    wait_for(cuebox::outbox::migrate(options()));
}

pg::connect_options database::options() const
{
    return {.conninfo = server_.conninfo(), .statement_deadline = std::chrono::minutes(5)};
}

environment database::variables() const
{
    return {{"PGHOST", server_.socket_directory().string()},
            {"PGPORT", std::to_string(server_.port())},
            {"PGUSER", "postgres"},
            {"PGDATABASE", "postgres"}};
}

void database::clear()
{
    wait_for(clear_outbox(options()));
}

std::uint64_t database::rows()
{
    return static_cast<std::uint64_t>(wait_for(ask<std::int64_t>(options(), count_rows)));
}

std::string database::settings()
{
    return wait_for(ask<std::string>(options(), read_settings));
}

database& the_database()
{
    static database started;
    return started;
}

}
