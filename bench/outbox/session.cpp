#include "session.hpp"

namespace bench::outbox {

namespace {

constexpr pg::statement newest_generation{.name = "newest generation",
                                          .sql = "select max(generation) from core.deployments"};

}

pg::connect_options the_database()
{
    return {.conninfo = "", .statement_deadline = std::chrono::hours(1)};
}

session::session()
{
    run(open());
}

session::~session()
{
    asio::post(io_, [this] { connection_.reset(); });
    guard_.reset();
    thread_.join();
}

pg::awaitable<void> session::open()
{
    connection_.emplace(co_await pg::connect(the_database()));
}

std::int64_t the_generation(session& with)
{
    return with.ask<std::int64_t>(newest_generation);
}

std::int64_t the_generation()
{
    session side;
    return the_generation(side);
}

}
