#include <cuebox/runtime/short_lock.hpp>

#include <thread>

namespace cuebox::detail {

void short_lock::lock_contended() noexcept
{
    constexpr int spins_max = 100;
    for (int spins = 0;; ++spins) {
        if (spins < spins_max)
            pause_briefly();
        else
            std::this_thread::yield();
        if (!held_.load(std::memory_order_relaxed) &&
            !held_.exchange(true, std::memory_order_acquire))
            return;
    }
}

}
