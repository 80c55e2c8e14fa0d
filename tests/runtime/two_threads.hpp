#pragma once

#include "actors.hpp"

#include <atomic>
#include <thread>

namespace cuebox::test {

// Two loops, each on a thread of its own. finish() lets them run out of work.
class two_threads
{
public:
    two_threads() = default;
    ~two_threads() { finish(); }

    void finish()
    {
        for (auto* each : {&first_, &second_}) {
            each->work.reset();
            if (each->thread.joinable())
                each->thread.join();
        }
    }

    loop& one() { return first_.home; }
    loop& two() { return second_.home; }

private:
    struct place
    {
        asio::io_context context{1};
        loop home{context.get_executor()};
        asio::executor_work_guard<asio::io_context::executor_type> work{context.get_executor()};
        std::thread thread{[this] { context.run(); }};
    };
    place first_, second_;
};

inline supervisor_options eager(strategy which = strategy::one_for_one)
{
    return {.strategy = which,
            .intensity = {.restarts = intensity::unlimited},
            .backoff = {.base = 1us, .multiplier = 1, .cap = 1us}};
}

inline void wait_for(const std::atomic<int>& counter, int value)
{
    while (counter < value)
        std::this_thread::yield();
}

}
