#include "demo_shop.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace cuebox::cli {

namespace asio = boost::asio;

namespace {

using namespace std::chrono_literals;

// No key on event_id: an effect that happened twice is to be seen.
constexpr pg::statement insert_entry{
    .name = "insert ledger entry",
    .sql = "insert into demo.ledger (event_id, number, cents) values ($1, $2, $3)"};

awaitable<void> book(delivery<demo_order_placed> order, pg::transaction& work)
{
    co_await work.execute(insert_entry, order.event_id(), order->number, order->cents);
    // After the write, which goes with it.
    if (order.attempt() <= order->fails)
        throw std::runtime_error("the ledger is being closed for the day");
}

awaitable<void> ship(delivery<demo_parcel_sent> parcel, demo_carrier& carrier)
{
    // A call to another service, so to speak.
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer call{executor, 2ms};
    co_await call.async_wait(asio::use_awaitable);
    if (!carrier.addresses.contains(parcel->address))
        throw terminal_error("no_such_address",
                             "the carrier knows no address \"" + parcel->address + "\"");
    if (parcel.attempt() <= parcel->fails)
        throw std::runtime_error("the carrier is busy");
    ++carrier.parcels[parcel->number];
}

}

registry demo_shop::handlers()
{
    // Soon again, for those who watch.
    const handler_options eager{.retry = {.base = 400ms, .cap = 2s}, .timeout = {}, .terminal = {}};
    registry all;
    all.on<demo_order_placed>("demo.ledger", &book, eager);
    all.on<demo_parcel_sent>(
        "demo.shipping",
        [this](delivery<demo_parcel_sent> parcel) { return ship(std::move(parcel), carrier_); },
        eager);
    return all;
}

outbox::outgoing demo_shop::next_event(int fails)
{
    ++number_;
    planned_.failing += fails > 0 ? 1 : 0;
    planned_.retries += fails;
    if (number_ % 2 == 0) {
        ++planned_.parcels;
        const demo_parcel_sent sent{.number = number_, .address = "Main Street 1", .fails = fails};
        return publisher_.prepare(sent);
    }
    const std::int64_t cents = 100 + number_ * 37 % 9'900;
    ++planned_.orders;
    planned_.cents += cents;
    const demo_order_placed placed{.number = number_, .cents = cents, .fails = fails};
    return publisher_.prepare(placed);
}

pg::awaitable<void> demo_shop::publish(pg::connection& database, std::size_t events,
                                       std::size_t fails_each)
{
    std::vector<outbox::outgoing> batch;
    for (std::size_t i = 1; i <= events; ++i) {
        const bool fails = fails_each > 0 && i % fails_each == 0;
        const bool twice = fails && i / fails_each % 5 == 0;
        batch.push_back(next_event(twice ? 2 : fails ? 1 : 0));
    }
    pg::transaction work{database};
    co_await publisher_.publish(work, std::move(batch));
    co_await work.commit();
}

pg::awaitable<event::uuid> demo_shop::send_parcel(pg::connection& database, std::string address)
{
    ++planned_.parcels;
    const demo_parcel_sent sent{.number = ++number_, .address = std::move(address), .fails = 0};
    pg::transaction work{database};
    const event::uuid id = co_await publisher_.publish(work, sent);
    co_await work.commit();
    co_return id;
}

}
