// A shop that writes each order and the event that tells of it in one transaction: either both are
// there, or neither is.
//
//     order_service                     on a private Postgres, gone when it ends
//     DATABASE_URL=… order_service      on yours
//     order_service --contracts | cuebox contracts snapshot --dir contracts

#include <cuebox/embedded/server.hpp>
#include <cuebox/event/contract.hpp>
#include <cuebox/outbox/migrate.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/pg/pool.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <optional>

namespace pg = cuebox::pg;
namespace outbox = cuebox::outbox;

// What the shop promises to those who listen. The names of the fields are the names in the JSON.
struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::int64_t number;
    std::string buyer;
    std::int64_t cents;
};

constexpr pg::statement create_orders{
    .name = "create orders",
    .sql = "create table if not exists orders (number bigint generated always as identity primary "
           "key, buyer text not null, cents bigint not null check (cents > 0))"};
constexpr pg::statement insert_order{
    .name = "insert order",
    .sql = "insert into orders (buyer, cents) values ($1, $2) returning number"};
constexpr pg::statement count_both{
    .name = "count both",
    .sql = "select (select count(*) from orders) as orders, (select count(*) from core.outbox "
           "where event_type = 'order.placed' and status = 'pending') as events"};

class shop
{
public:
    shop(pg::pool& pool, std::int64_t generation)
        : pool_(pool),
          publisher_({.source = "shop", .generation = generation})
    {}

    // Throws, and leaves no trace, when the order is refused.
    pg::awaitable<std::int64_t> place_order(std::string buyer, std::int64_t cents)
    {
        auto connection = co_await pool_.borrow();
        pg::transaction work{*connection};
        const auto number = co_await work.query_one<std::int64_t>(insert_order, buyer, cents);
        const order_placed placed{.number = number, .buyer = buyer, .cents = cents};
        const outbox::event_options options{.target = "billing"};
        co_await publisher_.publish(work, placed, options);
        co_await work.commit();
        co_return number;
    }

private:
    pg::pool& pool_;
    outbox::publisher publisher_;
};

struct counts
{
    std::int64_t orders;
    std::int64_t events;
};

pg::awaitable<void> run_shop(pg::connect_options database)
{
    co_await outbox::migrate(database);
    pg::pool pool{{.connect = database}};
    {
        auto connection = co_await pool.borrow();
        co_await connection->execute(create_orders);
    }
    shop shop{pool, 1};

    const std::int64_t tea = co_await shop.place_order("Ada", 450);
    const std::int64_t cake = co_await shop.place_order("Grace", 620);
    std::printf("orders %ld and %ld are placed\n", static_cast<long>(tea), static_cast<long>(cake));
    try {
        co_await shop.place_order("Mallory", -1);
    }
    catch (const pg::error& refused) {
        std::printf("refused: %s\n", refused.what());
    }

    auto connection = co_await pool.borrow();
    const counts both = co_await connection->query_one<counts>(count_both);
    std::printf("%ld orders, %ld events\n", static_cast<long>(both.orders),
                static_cast<long>(both.events));
}

int main(int argc, char** argv)
{
    if (argc > 1 && std::string_view(argv[1]) == "--contracts") {
        cuebox::event::print_contracts<order_placed>(std::cout);
        return 0;
    }
    try {
        std::optional<cuebox::embedded::server> server;
        const char* url = std::getenv("DATABASE_URL");
        if (!url)
            server.emplace();

        boost::asio::io_context io;
        auto done = boost::asio::co_spawn(
            io, run_shop({.conninfo = url ? url : server->conninfo()}), boost::asio::use_future);
        io.run();
        done.get();
        return 0;
    }
    catch (const std::exception& failure) {
        std::fprintf(stderr, "order_service: %s\n", failure.what());
        return 1;
    }
}
