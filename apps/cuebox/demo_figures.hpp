#pragma once

#include <cuebox/handling/observer.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace cuebox::cli {

// The demo's live figures, from what the context's observer is told. A handler may run twice for
// one delivery, when another event of its batch fails: events count, not runs.
class demo_figures
{
public:
    using clock = std::chrono::steady_clock;

    struct latency
    {
        std::chrono::microseconds p50{};
        std::chrono::microseconds p99{};
    };

    void add_published(std::size_t events);
    void note(const handling::handled_note& told);
    // A few times a second: moves the window of rate and latency, and the history.
    void tick(clock::time_point now);

    std::size_t published() const noexcept { return published_; }
    // A handler knows of an event before its publisher does, once in a while: it counts from then.
    std::size_t delivered() const noexcept { return std::min(delivered_.size(), published_); }
    std::size_t backlog() const noexcept { return published_ - delivered(); }
    // Runs after the first one, so far; and events that failed and have not succeeded since.
    std::size_t retries() const noexcept { return retried_.size(); }
    std::size_t failing() const noexcept { return failing_.size(); }
    bool was_delivered(const event::uuid& id) const { return delivered_.contains(id); }
    bool is_failing(const event::uuid& id) const { return failing_.contains(id); }

    // Deliveries in the last second, and the most there were in one.
    std::size_t rate() const noexcept { return rate_; }
    std::size_t peak() const noexcept { return peak_; }
    // From publish to handled, of events that succeeded at once in the last two seconds.
    std::optional<latency> recent_latency() const;

    // A value for each quarter of a second, the latest one last; of the backlog the highest in it.
    const std::deque<std::size_t>& backlog_history() const noexcept { return backlogs_; }
    const std::deque<std::size_t>& rate_history() const noexcept { return rates_; }

private:
    struct sample
    {
        clock::time_point at{};
        std::size_t delivered = 0;
    };
    struct handled
    {
        clock::time_point at{};
        std::chrono::microseconds after{};
    };

    std::size_t published_ = 0;
    std::size_t highest_ = 0;
    std::set<event::uuid> delivered_;
    std::set<event::uuid> failing_;
    std::set<std::pair<event::uuid, int>> retried_;
    std::deque<handled> window_;
    std::deque<sample> samples_;
    std::size_t rate_ = 0;
    std::size_t peak_ = 0;
    clock::time_point history_due_{};
    std::deque<std::size_t> backlogs_;
    std::deque<std::size_t> rates_;
};

}
