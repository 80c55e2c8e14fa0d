#pragma once

#include <cuebox/runtime/activity.hpp>

#include <functional>
#include <memory>

namespace cuebox {

// A loop that does not turn: something on its thread blocks or computes, or nobody runs it.
struct stall
{
    // Since it was last known to turn.
    duration lasted{};
    // Whose turn does not end; none when it is no activity's.
    const activity* by = nullptr;
    // It turns again; `by` and `lasted` are what they were.
    bool over = false;
};

// Notices when a loop does not turn, from a thread that all watches of the process share. While it
// lasts the listener is told every half of the limit, and once more when it is over; on that
// thread, so it must not block. A process that as a whole had no processor (it was suspended, or
// the machine) is not a stall.
class loop_watch
{
public:
    using listener = std::function<void(const stall&)>;

    // The loop, and its executor, must outlive the watch.
    loop_watch(const loop& whom, listener told, duration limit = std::chrono::seconds(1));
    // Returns when the listener is not being told any more; never from within it.
    ~loop_watch();
    loop_watch(const loop_watch&) = delete;
    loop_watch& operator=(const loop_watch&) = delete;

private:
    class watchdog;
    struct post;
    std::shared_ptr<watchdog> by_;
    std::shared_ptr<post> post_;
};

}
