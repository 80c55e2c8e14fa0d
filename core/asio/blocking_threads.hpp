#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>

namespace cuebox::detail {

// Threads for calls that can only block, such as PQcancel and getaddrinfo. Such a call may hang on
// a host that has gone, and must then hold up neither the other calls nor the end of the process:
// so there are several threads, none is ever joined, and each ends when nothing is left to do.
class blocking_threads
{
public:
    struct limits
    {
        // Calls that go on at once.
        std::size_t threads = 8;
        // Calls that wait for a thread or for their time; past that they are dropped.
        std::size_t waiting = 1'000;
    };
    // It must not throw.
    using job = std::function<void()>;

    explicit blocking_threads(limits given);

    // As soon as a thread is free, and not before so much time has passed. False when it was
    // dropped: too many wait, or there is neither memory nor a thread to be had. Thread-safe.
    bool run(job what, std::chrono::steady_clock::duration later = {}) noexcept;

    // Until nothing runs and nothing waits, for so long at most; whether it came to that. For the
    // end of a process, which takes its threads along.
    bool wait_until_idle(std::chrono::steady_clock::duration longest) const;

    std::size_t threads() const; // Alive now.
    std::size_t dropped() const;

private:
    struct state;
    std::shared_ptr<state> state_; // Shared with the threads, which may outlive this.
};

}
