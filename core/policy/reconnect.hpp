#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace cuebox::policy {

struct reconnect_limits
{
    // Before the first attempt after a loss, doubling up to cap.
    std::chrono::nanoseconds base = std::chrono::seconds(1);
    // Without LISTEN for longer than this, the context polls.
    std::chrono::nanoseconds cap = std::chrono::seconds(30);
};

// What to do about a LISTEN connection that is down.
class reconnect
{
public:
    using time = std::chrono::nanoseconds; // Of a clock that only goes forward.

    explicit reconnect(reconnect_limits limits = {}) noexcept : limits_(limits) {}

    // An attempt has failed, or the connection is lost: how long to wait before the next attempt.
    // `jitter` in [0, 1) takes up to a fifth off, so that a fleet does not return as one.
    std::chrono::nanoseconds failed(time now, double jitter) noexcept;
    void succeeded() noexcept;

    // Whether it has been down for so long that waiting for a NOTIFY is no longer the way.
    bool polling(time now) const noexcept;

private:
    reconnect_limits limits_;
    std::size_t failures_ = 0;
    time down_since_{};
};

}
