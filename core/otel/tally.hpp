#pragma once

#include <cuebox/otel/otel.hpp>

#include <atomic>
#include <condition_variable>
#include <mutex>

namespace cuebox::otel {

// What has become of each span, and how far the end has come. Taking one in is lock-free; every
// other member may wait.
class tally
{
public:
    explicit tally(std::size_t in_hand_max) : in_hand_max_(in_hand_max) {}

    // A place for one more span; without one it counts as dropped.
    bool accept() noexcept;
    // So many of them were sent, or were not.
    void settle(std::size_t spans, bool sent) noexcept;

    // True for the first who closes: nothing is accepted from then on.
    bool close() noexcept { return !closed_.exchange(true); }
    // Nothing more will be settled: what is still in hand is lost.
    void end() noexcept;
    // Past the deadline of a stop there is no use in trying.
    bool abandoned() const noexcept { return abandoned_; }

    bool wait_for_all(std::chrono::milliseconds within);
    // False when the time is up: the rest is then abandoned.
    bool wait_for_end(std::chrono::milliseconds within);

    exporter_counts counts() const;

private:
    const std::uint64_t in_hand_max_;
    std::atomic<std::uint64_t> accepted_ = 0;
    std::atomic<std::uint64_t> refused_ = 0;
    std::atomic<bool> closed_ = false;
    std::atomic<bool> abandoned_ = false;

    // Of what follows the mutex guards every change, so that whoever waits for one sees it.
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    // Those of the accepted that are sent or dropped.
    std::atomic<std::uint64_t> settled_ = 0;
    std::uint64_t exported_ = 0;
    bool ended_ = false;
};

}
