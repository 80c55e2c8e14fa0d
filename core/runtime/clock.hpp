#pragma once

#include <chrono>

namespace cuebox {

using duration = std::chrono::nanoseconds;
using time_point = std::chrono::time_point<std::chrono::steady_clock, duration>;

// Where time comes from. Every loop is given one, so a test can own time.
class clock
{
public:
    virtual ~clock() = default;

    virtual time_point now() const noexcept = 0;

    // A clock that stands still until told otherwise arms no timers of the operating system.
    virtual bool moves_by_itself() const noexcept = 0;
};

// The machine's monotonic clock.
clock& system_clock() noexcept;

// Moves only when told to. Not thread-safe: it belongs to a single-threaded test.
class manual_clock final : public clock
{
public:
    time_point now() const noexcept override { return now_; }
    bool moves_by_itself() const noexcept override { return false; }

    void set(time_point now) noexcept { now_ = now; }

private:
    time_point now_{};
};

}
