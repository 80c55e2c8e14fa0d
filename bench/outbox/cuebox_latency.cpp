#include "dialogue.hpp"
#include "worker.hpp"
#include "workloads.hpp"

#include <cuebox/outbox/publisher.hpp>
#include <cuebox/pg/transaction.hpp>

#include <condition_variable>
#include <mutex>

namespace bench::outbox {

namespace {

constexpr std::int64_t warm_up = 20;
// So that the worker is idle again.
constexpr std::chrono::milliseconds between{5};

pg::awaitable<void> publish_one(pg::connection& on, const cuebox::outbox::publisher& publisher,
                                std::int64_t number)
{
    pg::transaction work{on};
    const bench_event event{.number = number, .sent = now_ns()};
    co_await publisher.publish(work, event);
    co_await work.commit();
}

}

void measure_latency(const task& wanted)
{
    session side;
    const auto generation = the_generation(side);
    const cuebox::outbox::publisher publisher{{.source = "bench", .generation = generation}};
    std::mutex mutex;
    std::condition_variable arrived;
    std::vector<std::int64_t> took;
    worker cuebox(wanted, generation, [&](const bench_event& event) {
        const std::int64_t now = now_ns();
        const std::lock_guard lock{mutex};
        took.push_back(now - event.sent);
        arrived.notify_one();
    });
    cuebox.start();
    cuebox.wait_until_listening();

    const auto measure = [&](std::int64_t number) {
        side.run(publish_one(side.connection(), publisher, number));
        std::unique_lock lock{mutex};
        arrived.wait(lock, [&] { return static_cast<std::int64_t>(took.size()) > number; });
        lock.unlock();
        pause(between);
    };
    for (std::int64_t i = 0; i < warm_up; ++i)
        measure(i);
    say_ready_and_wait();
    const auto began = steady::now();
    for (std::int64_t i = 0; i < wanted.events; ++i)
        measure(warm_up + i);
    const double seconds = seconds_since(began);
    took.erase(took.begin(), took.begin() + warm_up);
    say_done_and_wait({.events = wanted.events,
                       .seconds = seconds,
                       .latency_ms = percentiles_of(std::move(took))});
}

}
