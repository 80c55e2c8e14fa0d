#include "orders.hpp"
#include "support/migrated.hpp"

#include <cuebox/outbox/publisher.hpp>
#include <cuebox/outbox/waker.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include <set>
#include <thread>

using namespace cuebox;
using namespace cuebox::outbox;
using namespace cuebox::outbox::test;
using namespace std::chrono_literals;

namespace {

// A waker that runs beside what a test does, and is stopped when that is done.
class night_watch
{
public:
    explicit night_watch(const pg::connect_options& where, std::chrono::milliseconds interval = 5ms)
        : pool_({.connect = where}),
          waker_(pool_, interval)
    {}

    outbox::waker& waker() { return waker_; }
    asio::io_context& io() { return io_; }

    template <class T>
    T during(pg::awaitable<T> work)
    {
        std::exception_ptr ended;
        asio::co_spawn(io_, waker_.run(),
                       asio::bind_cancellation_slot(stop_.slot(),
                                                    [&](std::exception_ptr why) { ended = why; }));
        auto result = asio::co_spawn(io_, stopping(std::move(work)), asio::use_future);
        io_.run();
        CHECK(is_cancelled(ended));
        return result.get();
    }

private:
    template <class T>
    pg::awaitable<T> stopping(pg::awaitable<T> work)
    {
        struct stop_at_end
        {
            asio::cancellation_signal& signal;
            ~stop_at_end() { signal.emit(asio::cancellation_type::terminal); }
        } const at_end{stop_};
        co_return co_await std::move(work);
    }

    static bool is_cancelled(const std::exception_ptr& why)
    {
        try {
            std::rethrow_exception(why);
        }
        catch (const boost::system::system_error& error) {
            return error.code() == asio::error::operation_aborted;
        }
    }

    asio::io_context io_{1};
    asio::cancellation_signal stop_;
    pg::pool pool_;
    outbox::waker waker_;
};

pg::awaitable<void> publish_orders(pg::connection& database, const publisher& by, int count)
{
    for (int i = 0; i < count; ++i) {
        pg::transaction work{database};
        const order_placed order = some_order(i);
        co_await by.publish(work, order);
        co_await work.commit();
    }
}

// Publishes, and says what a listener has heard by the time of the given number of wakes.
pg::awaitable<std::vector<pg::notification>> publish_and_listen(pg::connect_options where,
                                                                const publisher& by, int count)
{
    pg::connection listener = co_await pg::connect(where);
    co_await listener.listen("outbox_gen_7");
    pg::connection database = co_await pg::connect(where);
    co_await publish_orders(database, by, count);
    std::vector<pg::notification> heard;
    auto next = co_await listener.next_notification(10s);
    while (next) {
        heard.push_back(*next);
        next = co_await listener.next_notification(100ms);
    }
    co_return heard;
}

pg::awaitable<std::optional<pg::notification>> roll_back_and_listen(pg::connect_options where,
                                                                    const publisher& by)
{
    pg::connection listener = co_await pg::connect(where);
    co_await listener.listen("outbox_gen_7");
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    const order_placed order = some_order(1);
    co_await by.publish(work, order);
    co_await work.rollback();
    co_return co_await listener.next_notification(100ms);
}

pg::awaitable<std::optional<pg::notification>>
pass_on_and_listen(pg::connect_options where, const publisher& by, outgoing event)
{
    pg::connection listener = co_await pg::connect(where);
    co_await listener.listen("outbox_gen_7");
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    co_await by.publish(work, std::move(event));
    co_await work.commit();
    co_return co_await listener.next_notification(10s);
}

pg::awaitable<std::size_t> hear(pg::connect_options where, std::vector<std::string> channels,
                                std::function<void()> start)
{
    pg::connection listener = co_await pg::connect(where);
    for (const std::string& each : channels)
        co_await listener.listen(each);
    start();
    std::set<std::string> heard;
    while (heard.size() < channels.size()) {
        const auto next = co_await listener.next_notification(10s);
        if (!next)
            break;
        heard.insert(next->channel);
    }
    co_return heard.size();
}

}

TEST_CASE("quiet events wake their listeners a few times, not once each", "[outbox]")
{
    const migrated database;
    night_watch watch{database.options(), 50ms};
    const publisher shop{{.source = "shop", .generation = 7, .waker = &watch.waker()}};

    const auto heard = watch.during(publish_and_listen(database.options(), shop, 200));

    CHECK(database.query("select count(*) from core.outbox where quiet") == "200");
    REQUIRE(!heard.empty());
    CHECK(heard.front().payload.empty());
    CHECK(heard.size() == watch.waker().sent());
    CHECK(watch.waker().asked() == 200);
    CHECK(heard.size() < 200);
}

TEST_CASE("a quiet event that is rolled back wakes nobody", "[outbox]")
{
    const migrated database;
    night_watch watch{database.options()};
    const publisher shop{{.source = "shop", .generation = 7, .waker = &watch.waker()}};

    const auto heard = watch.during(roll_back_and_listen(database.options(), shop));

    CHECK_FALSE(heard.has_value());
    CHECK(watch.waker().asked() == 0);
}

TEST_CASE("a quiet event that a publisher without a waker writes is heard of", "[outbox]")
{
    const migrated database;
    night_watch watch{database.options()};
    const publisher quiet{{.source = "shop", .generation = 7, .waker = &watch.waker()}};
    const publisher loud{{.source = "shop", .generation = 7}};
    const outgoing event = quiet.prepare(some_order(1));
    REQUIRE(event.quiet);

    const auto heard = run(pass_on_and_listen(database.options(), loud, event));

    REQUIRE(heard.has_value());
    CHECK(heard->payload == event::print_uuid(event.envelope.event_id));
    CHECK(watch.waker().asked() == 0);
}

TEST_CASE("wakes are asked for from many threads, and each channel gets one", "[outbox][threads]")
{
    const migrated database;
    night_watch watch{database.options()};
    std::vector<std::string> channels;
    for (int i = 1; i <= 8; ++i)
        channels.push_back("outbox_gen_" + std::to_string(i));
    std::vector<std::jthread> threads;
    const auto start = [&] {
        for (const std::string& channel : channels)
            threads.emplace_back([&watch, channel] {
                for (int i = 0; i < 1'000; ++i)
                    watch.waker().wake(channel);
            });
    };

    const std::size_t heard = watch.during(hear(database.options(), channels, start));

    threads.clear();
    CHECK(heard == channels.size());
    CHECK(watch.waker().asked() == 8'000);
    CHECK(watch.waker().sent() < 8'000);
}

TEST_CASE("a wake that the server could not take is sent when it is back", "[outbox]")
{
    const migrated database;
    night_watch watch{database.options()};
    const auto start = [&] {
        // Whoever is connected is thrown out, so the first attempt fails.
        watch.waker().wake("outbox_gen_7");
        database.query("select pg_terminate_backend(pid) from pg_stat_activity where "
                       "datname = current_database() and pid <> pg_backend_pid() and "
                       "query not like 'listen%'");
        watch.waker().wake("outbox_gen_7");
    };

    const std::size_t heard = watch.during(hear(database.options(), {"outbox_gen_7"}, start));

    CHECK(heard == 1);
}
