#pragma once

#include "support/database.hpp"

#include <cuebox/pg/connection.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <string>

namespace cuebox::outbox::test {

namespace asio = boost::asio;

// Runs a coroutine to its end on a loop of its own, and gives what it gives.
template <class T>
T run(pg::awaitable<T> work)
{
    asio::io_context io{1};
    auto result = asio::co_spawn(io, std::move(work), asio::use_future);
    io.run();
    return result.get();
}

// A database with the schema in it: a copy of one that the first test of the run has migrated.
class migrated : public cuebox::test::database
{
public:
    // Without roles it is migrated itself.
    explicit migrated(bool without_roles = false);

    pg::connect_options options() const { return {.conninfo = conninfo()}; }
};

}
