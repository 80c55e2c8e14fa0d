#include "two_threads.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct job
{
    int number;
};

struct record
{
    std::atomic<int> handled{0};
    std::atomic<int> out_of_order{0};
};

// Fails on every tenth job.
struct fragile
{
    using messages = cuebox::messages<job>;
    record* seen;
    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            const int number = std::get<job>(*message).number;
            if (number != seen->handled)
                ++seen->out_of_order;
            ++seen->handled;
            if (number % 10 == 9)
                throw std::runtime_error("tenth");
        }
    }
};

struct mayfly
{
    using messages = cuebox::messages<done>;
    awaitable<void> run(self<messages>& me)
    {
        const auto message = co_await me.receive();
        if (message)
            throw std::runtime_error("no luck");
    }
};

struct watcher
{
    using messages = cuebox::messages<exited>;
    std::vector<address<mayfly::messages>> whom;
    std::atomic<int>* heard;
    std::atomic<int>* wrong;
    awaitable<void> run(self<messages>& me)
    {
        for (const auto& each : whom)
            me.watch(each);
        while (auto message = co_await me.receive()) {
            if (std::get<exited>(*message).reason.what() != "no luck")
                ++*wrong;
            ++*heard;
        }
    }
};

void send_jobs(address<fragile::messages> to, int count)
{
    for (int i = 0; i < count;) {
        if (to.try_send(job{i}) == sent::accepted)
            ++i;
        else
            std::this_thread::yield();
    }
}

void restart_across(strategy which)
{
    constexpr int jobs = 5'000;
    two_threads threads;
    record near, far;
    tree app{threads.one(), "app", eager(which)};
    app.report_to(nobody_listens());
    const auto a = app.add<fragile>("near", child_options{.capacity = 32}, &near);
    const auto b =
        app.add<fragile>("far", child_options{.capacity = 32, .loop = &threads.two()}, &far);
    app.start();

    std::thread first(send_jobs, a, jobs);
    std::thread second(send_jobs, b, jobs);
    first.join();
    second.join();
    wait_for(near.handled, jobs);
    wait_for(far.handled, jobs);
    app.stop();
    const exit_reason end = app.wait();
    threads.finish();

    REQUIRE(end.kind == exit_kind::stopped);
    REQUIRE(near.out_of_order == 0);
    REQUIRE(far.out_of_order == 0);
}

}

TEST_CASE("siblings on two threads that keep failing lose nothing, one for one", "[threads]")
{
    restart_across(strategy::one_for_one);
}

TEST_CASE("siblings on two threads that take each other down lose nothing", "[threads]")
{
    restart_across(strategy::one_for_all);
}

TEST_CASE("a watcher on another thread hears of each end once, and why", "[threads]")
{
    constexpr int many = 500;
    two_threads threads;
    std::atomic<int> heard{0}, wrong{0};
    tree app{threads.one(), "app"};
    app.report_to(nobody_listens());
    std::vector<address<mayfly::messages>> flies;
    for (int i = 0; i < many; ++i)
        flies.push_back(app.add<mayfly>("fly-" + std::to_string(i),
                                        child_options{.restart = restart::temporary}));
    app.add<watcher>("watcher", child_options{.loop = &threads.two()}, flies, &heard, &wrong);
    app.start();

    for (const auto& each : flies)
        REQUIRE(each.try_send(done{}) == sent::accepted);
    wait_for(heard, many);
    app.stop();
    app.wait();
    threads.finish();

    REQUIRE(heard == many);
    REQUIRE(wrong == 0);
}

TEST_CASE("a tree's end can be awaited from another thread, and its snapshot taken meanwhile",
          "[threads]")
{
    two_threads threads;
    record seen;
    tree app{threads.one(), "app", eager()};
    app.report_to(nobody_listens());
    const auto whom = app.add<fragile>("far", child_options{.loop = &threads.two()}, &seen);
    app.start();
    std::thread sender(send_jobs, whom, 2'000);

    std::size_t peak = 0;
    while (seen.handled < 2'000)
        peak = std::max(peak, app.snapshot().children.at(0).mailbox_peak);
    sender.join();
    app.stop();
    const exit_reason end = app.wait();
    threads.finish();

    REQUIRE(end.kind == exit_kind::stopped);
    REQUIRE(peak <= 1024 + 32);
}
