#include "dialogue.hpp"
#include "worker.hpp"
#include "workloads.hpp"

#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/pg/transaction.hpp>

#include <array>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

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
        const auto second =
            static_cast<std::size_t>(std::chrono::duration<double>(now - began_).count());
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

// Publishes on a few connections at once, as the peers' producers do: neither more than the window
// ahead of the worker, nor faster than the rate.
class producers
{
public:
    producers(const task& wanted, std::int64_t generation, const worker& consumer)
        : wanted_(wanted),
          consumer_(consumer),
          publisher_({.source = "bench", .generation = generation})
    {}

    // Gives how many it published.
    std::int64_t run(steady::time_point began)
    {
        began_ = began;
        std::vector<std::future<void>> all;
        for (session& each : sessions_)
            all.push_back(std::async(std::launch::async, [this, &each] { produce(each); }));
        for (auto& each : all)
            each.get();
        return published_;
    }

private:
    void produce(session& on)
    {
        while (auto first = next()) {
            if (*first < 0)
                pause(std::chrono::microseconds(500));
            else
                on.run(publish(on.connection(), *first));
        }
    }

    // The first number of the next call; negative while it is too early, none when it is over.
    std::optional<std::int64_t> next()
    {
        const std::lock_guard lock{mutex_};
        const double elapsed = seconds_since(began_);
        if (wanted_.events > 0 ? published_ >= wanted_.events : elapsed >= wanted_.seconds)
            return std::nullopt;
        const bool ahead = published_ - consumer_.handled() >= wanted_.window;
        const bool early =
            wanted_.rate && static_cast<double>(published_) >= *wanted_.rate * elapsed;
        if (ahead || early)
            return -1;
        return std::exchange(published_, published_ + per_call);
    }

    pg::awaitable<void> publish(pg::connection& on, std::int64_t first) const
    {
        const std::int64_t sent = now_ns(); // Before anything is asked of the server.
        pg::transaction work{on};
        auto bulk = co_await cuebox::outbox::bulk::start(work);
        for (std::int64_t i = 0; i < per_call; ++i) {
            const bench_event event{.number = first + i, .sent = sent};
            const auto prepared = publisher_.prepare(event);
            co_await bulk.add(prepared);
        }
        co_await bulk.finish();
        co_await work.commit();
    }

    const task& wanted_;
    const worker& consumer_;
    cuebox::outbox::publisher publisher_;
    std::array<session, 4> sessions_;
    steady::time_point began_{};
    std::mutex mutex_;
    std::int64_t published_ = 0;
};

}

void flow(const task& wanted)
{
    const auto generation = the_generation();
    journal kept;
    figures reached;
    {
        worker cuebox(wanted, generation, [&kept](const bench_event& event) { kept.note(event); });
        producers publishing(wanted, generation, cuebox);
        say_ready_and_wait();
        const auto began = steady::now();
        kept.begin();
        cuebox.start();
        cuebox.wait_until_settled(publishing.run(began));
        reached = {.events = cuebox.handled(), .seconds = seconds_since(began)};
    }
    reached.latency_ms = kept.latency();
    reached.per_second = kept.full_seconds();
    say_done_and_wait(reached);
}

}
