#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace bench {

// What one run of one case measured.
struct sample
{
    std::chrono::nanoseconds elapsed{};
    std::uint64_t messages = 0; // as counted by whoever received them
    // None when the work was done by another process.
    std::optional<std::uint64_t> allocations{};

    double million_per_second() const;
    double nanoseconds_per_message() const;
    double allocations_per_message() const; // not a number when they were not counted
};

// Times a run from its first send to its last receive. start() and stop() may be called on
// different threads, provided the run itself orders one before the other and before take().
class stopwatch
{
public:
    void start();
    void stop();

    // `received` is the receiver's own count; throws if it differs from what was `sent`, because a
    // run that lost messages has no rate.
    sample take(std::uint64_t sent, std::uint64_t received) const;

private:
    std::chrono::steady_clock::time_point started_;
    std::chrono::steady_clock::time_point stopped_;
    std::uint64_t allocations_before_ = 0;
    std::uint64_t allocations_after_ = 0;
};

}
