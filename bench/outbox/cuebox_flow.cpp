#include "dialogue.hpp"
#include "worker.hpp"
#include "workloads.hpp"

#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/pg/transaction.hpp>

#include <mutex>

namespace bench::outbox {

namespace {

constexpr std::int64_t per_call = 100;

// How long each took, and how many there were in each second.
class journal
{
public:
    void begin() { began_ = steady::now(); }
    void note(const bench_event& event)
    {
        const auto now = steady::now();
        const auto second = static_cast<std::size_t>(std::chrono::duration<double>(now - began_).count());
        if (per_second_.size() <= second)
            per_second_.resize(second + 1);
        ++per_second_[second];
        took_.push_back(std::chrono::nanoseconds(now.time_since_epoch()).count() - event.sent);
    }
    // Once nobody notes any more.
    percentiles latency() const { return percentiles_of(took_); }
    std::vector<std::int64_t> full_seconds() const
    {
        auto all = per_second_;
        if (!all.empty())
            all.pop_back();
        return all;
    }

private:
    steady::time_point began_{};
    std::vector<std::int64_t> per_second_;
    std::vector<std::int64_t> took_;
};

pg::awaitable<void> publish_some(pg::connection& on, const cuebox::outbox::publisher& publisher,
                                 std::int64_t first)
{
    pg::transaction work{on};
    std::vector<cuebox::outbox::outgoing> events;
    for (std::int64_t i = 0; i < per_call; ++i) {
        const bench_event event{.number = first + i, .sent = now_ns()};
        events.push_back(publisher.prepare(event));
    }
    co_await publisher.publish(work, std::move(events));
    co_await work.commit();
}

// Neither more than the window ahead of the worker, nor faster than the rate. Gives how many.
std::int64_t produce(const task& wanted, std::int64_t generation, session& side,
                     const worker& consumer, steady::time_point began)
{
    const cuebox::outbox::publisher publisher{{.source = "bench", .generation = generation}};
    std::int64_t published = 0;
    while (wanted.events > 0 ? published < wanted.events : seconds_since(began) < wanted.seconds) {
        const bool ahead = published - consumer.handled() >= wanted.window;
        const bool early =
            wanted.rate && static_cast<double>(published) >= *wanted.rate * seconds_since(began);
        if (ahead || early) {
            std::this_thread::sleep_for(std::chrono::microseconds(500));
            continue;
        }
        side.run(publish_some(side.connection(), publisher, published));
        published += per_call;
    }
    return published;
}

}

void flow(const task& wanted)
{
    session side;
    const auto generation = the_generation(side);
    journal kept;
    figures reached;
    {
        worker cuebox(wanted, generation, [&kept](const bench_event& event) { kept.note(event); });
        say_ready_and_wait();
        const auto began = steady::now();
        kept.begin();
        cuebox.start();
        const auto published = produce(wanted, generation, side, cuebox, began);
        cuebox.wait_until_settled(published);
        reached = {.events = cuebox.handled(), .seconds = seconds_since(began)};
    }
    reached.latency_ms = kept.latency();
    reached.per_second = kept.full_seconds();
    say_done_and_wait(reached);
}

}
