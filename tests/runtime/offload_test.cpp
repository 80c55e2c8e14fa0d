#include <cuebox/runtime/offload.hpp>
#include <cuebox/runtime/scope.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <catch2/catch_test_macros.hpp>

#include <future>
#include <stdexcept>
#include <thread>

using namespace cuebox;

namespace {

template <class T>
T await_here(awaitable<T> work)
{
    asio::io_context io{1};
    auto end = asio::co_spawn(io, std::move(work), asio::use_future);
    io.run();
    return end.get();
}

struct seen
{
    std::thread::id inside;
    std::thread::id before;
    std::thread::id after;
};

awaitable<seen> look_around(offload_pool& pool)
{
    seen threads;
    threads.before = std::this_thread::get_id();
    threads.inside = co_await pool.run([] { return std::this_thread::get_id(); });
    threads.after = std::this_thread::get_id();
    co_return threads;
}

awaitable<std::unique_ptr<int>> moved(offload_pool& pool)
{
    auto given = std::make_unique<int>(7);
    // Named: GCC 12 destroys twice what is made within an awaiting expression.
    auto job = [given = std::move(given)]() mutable { return std::move(given); };
    co_return co_await pool.run(std::move(job));
}

awaitable<void> fail(offload_pool& pool)
{
    co_await pool.run([] { throw std::domain_error("no such page"); });
}

// Lets the loop turn while the pool is at work: the job waits for it.
awaitable<bool> loop_goes_on(offload_pool& pool)
{
    std::promise<void> turned;
    asio::post(co_await asio::this_coro::executor, [&] { turned.set_value(); });
    co_return co_await pool.run([&] {
        turned.get_future().wait();
        return true;
    });
}

awaitable<void> until_stopped(offload_pool& pool, std::promise<void>& began, bool& told)
{
    co_await pool.run([&](std::stop_token stop) {
        std::promise<void> asked;
        const std::stop_callback callback(stop, [&] { asked.set_value(); });
        began.set_value();
        asked.get_future().wait();
        told = true;
    });
}

// Whether it was told that it was cancelled.
awaitable<void> note_end(awaitable<void> work, bool& cancelled)
{
    try {
        co_await std::move(work);
    }
    catch (const boost::system::system_error& error) {
        cancelled = error.code() == asio::error::operation_aborted;
    }
}

awaitable<void> cancel_when_begun(offload_pool& pool, bool& told, bool& cancelled)
{
    scope work{co_await asio::this_coro::executor};
    std::promise<void> began;
    work.spawn(note_end(until_stopped(pool, began, told), cancelled));
    offload_pool other{1};
    co_await other.run([&] { began.get_future().wait(); });
    work.cancel();
    co_await work.join();
}

}

TEST_CASE("what is offloaded runs on another thread, and its coroutine goes on where it was",
          "[threads]")
{
    offload_pool pool{2};

    const seen threads = await_here(look_around(pool));

    CHECK(threads.before == threads.after);
    CHECK(threads.inside != threads.before);
}

TEST_CASE("what is offloaded gives its result, also one that can only be moved", "[threads]")
{
    offload_pool pool{1};

    CHECK(*await_here(moved(pool)) == 7);
}

TEST_CASE("what is offloaded and throws, throws in its coroutine", "[threads]")
{
    offload_pool pool{1};

    CHECK_THROWS_AS(await_here(fail(pool)), std::domain_error);
}

TEST_CASE("the loop goes on while something is offloaded", "[threads]")
{
    offload_pool pool{1};

    CHECK(await_here(loop_goes_on(pool)));
}

TEST_CASE(
    "a cancelled coroutine asks what it offloaded to stop, waits until it has, and is aborted",
    "[threads]")
{
    offload_pool pool{1};
    bool told = false;
    bool cancelled = false;

    await_here(cancel_when_begun(pool, told, cancelled));

    CHECK(told);
    CHECK(cancelled);
}
