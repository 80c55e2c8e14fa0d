// A first handler: an order and its event are written in one transaction, and the handler's invoice
// commits together with the record that the event was handled. docs/tutorial.md explains it line by
// line.
//
//     first_handler                     on a private Postgres, gone when it ends
#include <cuebox/actors/context.hpp>
#include <cuebox/embedded/server.hpp>
#include <cuebox/handlers/registry.hpp>
#include <cuebox/outbox/migrate.hpp>
#include <cuebox/outbox/publisher.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <cstdio>

namespace asio = boost::asio;
namespace pg = cuebox::pg;

// The event. Producer and consumer each have a struct of their own; here one will do.
struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::int64_t number{};
    std::int64_t cents{};
};

constexpr pg::statement create_invoices{
    .name = "create invoices",
    .sql = "create table invoices (number bigint primary key, cents bigint not null)"};
constexpr pg::statement insert_invoice{.name = "insert invoice",
                                       .sql = "insert into invoices values ($1, $2)"};
constexpr pg::statement count_invoices{.name = "count invoices",
                                       .sql = "select count(*) from invoices"};

// The handler. Its second parameter makes it transactional: what it writes through `work` commits
// with the acknowledgement, or not at all.
cuebox::awaitable<void> send_invoice(cuebox::delivery<order_placed> order, pg::transaction& work)
{
    co_await work.execute(insert_invoice, order->number, order->cents);
    std::printf("invoice for order %ld, attempt %d\n", static_cast<long>(order->number),
                order.attempt());
}

// The producer: the place where the order itself would be written too.
cuebox::awaitable<void> place_order(pg::pool& pool, std::int64_t number, std::int64_t cents)
{
    const cuebox::outbox::publisher publisher{{.source = "shop", .generation = 1}};
    auto connection = co_await pool.borrow();
    pg::transaction work{*connection};
    const order_placed placed{.number = number, .cents = cents};
    co_await publisher.publish(work, placed);
    co_await work.commit();
}

cuebox::awaitable<void> run(pg::connect_options database)
{
    co_await cuebox::outbox::migrate(database);
    pg::pool pool{{.connect = database}};
    auto connection = co_await pool.borrow();
    co_await connection->execute(create_invoices);

    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer handled{executor, std::chrono::seconds(30)};
    cuebox::registry handlers;
    handlers.on<order_placed>("billing.send_invoice", &send_invoice);
    cuebox::context_options options;
    options.name = "billing";
    options.generation = 1;
    options.observer = [&handled](const cuebox::handling::handled_note&) {
        handled.expires_at(asio::steady_timer::time_point::min()); // Ends the wait below.
    };
    cuebox::loop loop{executor};
    cuebox::context billing{loop, pool, handlers.take(), std::move(options)};

    billing.start();
    co_await place_order(pool, 7, 450);
    co_await handled.async_wait(asio::as_tuple(asio::use_awaitable));
    billing.stop();
    const cuebox::exit_reason ended = co_await billing.ended();

    const auto invoices = co_await connection->query_one<std::int64_t>(count_invoices);
    std::printf("%ld invoice, context %s\n", static_cast<long>(invoices), ended.what().c_str());
}

int main()
{
    try {
        const cuebox::embedded::server postgres;
        asio::io_context io;
        auto done = asio::co_spawn(io, run({.conninfo = postgres.conninfo()}), asio::use_future);
        io.run();
        done.get();
        return 0;
    }
    catch (const std::exception& failure) {
        std::fprintf(stderr, "first_handler: %s\n", failure.what());
        return 1;
    }
}
