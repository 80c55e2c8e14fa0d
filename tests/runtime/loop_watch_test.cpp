#include "actors.hpp"

#include <cuebox/runtime/loop_watch.hpp>
#include <cuebox/runtime/scope.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch_test_macros.hpp>

#include <future>
#include <mutex>
#include <thread>

using namespace cuebox;
using namespace cuebox::test;
using namespace std::chrono_literals;

namespace {

// A loop on a thread of its own, and what a watch says of it.
class watched_loop
{
public:
    watched_loop() : thread_([this] { io.run(); }) {}
    ~watched_loop()
    {
        guard_.reset();
        thread_.join();
    }

    loop_watch::listener listener()
    {
        return [this](const stall& told) {
            const std::lock_guard lock(mutex_);
            ++told_;
            if (told.over)
                over_.set_value(told);
            else if (told_ == 1)
                stalled_.set_value(told);
        };
    }
    stall stalled() { return stalled_.get_future().get(); }
    stall over() { return over_.get_future().get(); }
    int told()
    {
        const std::lock_guard lock(mutex_);
        return told_;
    }

    asio::io_context io{1};
    cuebox::loop loop{io.get_executor()};

private:
    asio::executor_work_guard<asio::io_context::executor_type> guard_{io.get_executor()};
    std::mutex mutex_;
    int told_ = 0;
    std::promise<stall> stalled_;
    std::promise<stall> over_;
    std::thread thread_;
};

awaitable<void> block(std::shared_future<void> until)
{
    until.wait();
    co_return;
}

// Waits for something first, and is resumed by Asio.
awaitable<void> block_later(std::shared_future<void> until)
{
    asio::steady_timer timer(co_await asio::this_coro::executor, 1ms);
    co_await timer.async_wait(asio::use_awaitable);
    until.wait();
}

// Suspended all the while.
awaitable<void> stay(std::shared_future<void> until)
{
    asio::steady_timer timer(co_await asio::this_coro::executor);
    while (until.wait_for(0s) != std::future_status::ready) {
        timer.expires_after(1ms);
        co_await timer.async_wait(asio::use_awaitable);
    }
}

void spawn(activity& by, awaitable<void> work)
{
    asio::co_spawn(by.executor(), std::move(work), [](const std::exception_ptr&) {});
}

}

TEST_CASE("a loop that turns is not told of", "[threads]")
{
    watched_loop watched;
    std::promise<void> passed;
    {
        const loop_watch watch(watched.loop, watched.listener(), 1h);
        asio::post(watched.io, [&] { passed.set_value(); });
        passed.get_future().wait();
    }
    CHECK(watched.told() == 0);
}

TEST_CASE("a loop that stands still is told of with whose turn it is, and when it turns again",
          "[threads]")
{
    for (const auto how : {&block, &block_later}) {
        watched_loop watched;
        const auto guilty = std::make_shared<activity>(watched.loop);
        const auto innocent = std::make_shared<activity>(watched.loop);
        std::promise<void> release;
        const std::shared_future<void> until = release.get_future().share();
        const loop_watch watch(watched.loop, watched.listener(), 20ms);

        spawn(*innocent, stay(until));
        spawn(*guilty, how(until));
        const stall told = watched.stalled();
        release.set_value();
        const stall end = watched.over();

        CHECK(told.by == guilty.get());
        CHECK(told.lasted >= 20ms);
        CHECK_FALSE(told.over);
        CHECK(end.over);
        CHECK(end.by == guilty.get());
    }
}

TEST_CASE("a loop that stands still in nobody's turn is told of without a name", "[threads]")
{
    watched_loop watched;
    std::promise<void> release;
    const auto until = release.get_future().share();
    const loop_watch watch(watched.loop, watched.listener(), 20ms);

    asio::post(watched.io, [until] { until.wait(); });
    const stall told = watched.stalled();
    release.set_value();

    CHECK(told.by == nullptr);
}

TEST_CASE("a coroutine of an activity that was answered by an actor is still that activity's",
          "[threads]")
{
    struct get
    {
        using reply = int;
    };
    struct clerk
    {
        using messages = cuebox::messages<get>;
        awaitable<void> run(self<messages>& me)
        {
            while (auto message = co_await me.receive())
                std::get<request<get>>(*message).reply(7);
        }
    };
    struct asking
    {
        static awaitable<void> run(loop& home, address<clerk::messages> whom,
                                   std::shared_future<void> until)
        {
            const int answer = co_await ask(home, whom, get{}, 1min);
            CHECK(answer == 7);
            until.wait();
        }
    };
    watched_loop watched;
    tree app{watched.loop, "app"};
    auto clerk_at = app.add<clerk>("clerk");
    app.start();
    const auto guilty = std::make_shared<activity>(watched.loop);
    std::promise<void> release;
    const loop_watch watch(watched.loop, watched.listener(), 20ms);

    spawn(*guilty, asking::run(watched.loop, clerk_at, release.get_future().share()));
    const stall told = watched.stalled();
    release.set_value();

    CHECK(told.by == guilty.get());
    app.stop();
    app.wait();
}

TEST_CASE("an executor of an activity outlives its loop", "[threads]")
{
    asio::io_context io{1};
    asio::any_io_executor kept;
    {
        loop gone{io.get_executor()};
        kept = std::make_shared<activity>(gone)->executor();
    }
    int ran = 0;
    asio::post(kept, [&ran] { ++ran; });
    asio::dispatch(kept, [&ran] { ++ran; });

    io.run();

    CHECK(ran == 2);
    CHECK(kept == asio::any_io_executor(kept));
}
