#pragma once

#include <cuebox/pg/connection.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <optional>
#include <thread>

namespace bench::outbox {

namespace asio = boost::asio;
namespace pg = cuebox::pg;

// The database that PGHOST and so on name.
pg::connect_options the_database();

// A connection with a thread of its own, beside whatever is measured.
class session
{
public:
    session();
    ~session();
    session(const session&) = delete;
    session& operator=(const session&) = delete;

    template <class T>
    T run(pg::awaitable<T> work)
    {
        return asio::co_spawn(io_, std::move(work), asio::use_future).get();
    }
    template <class Row, class... Values>
    Row ask(const pg::statement& what, Values... values)
    {
        return run(asking<Row>(what, std::move(values)...));
    }
    pg::connection& connection() noexcept { return *connection_; }

private:
    pg::awaitable<void> open();
    template <class Row, class... Values>
    pg::awaitable<Row> asking(pg::statement what, Values... values)
    {
        co_return co_await connection_->query_one<Row>(what, std::move(values)...);
    }

    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
    std::thread thread_{[this] { io_.run(); }};
    std::optional<pg::connection> connection_;
};

// The deployment that prepare() has made.
std::int64_t the_generation(session& with);
std::int64_t the_generation();

}
