#include <cuebox/runtime/short_lock.hpp>

namespace cuebox::detail {

void short_lock::lock_contended() noexcept
{
    constexpr int spins_max = 100;
    for (int spins = 0; spins < spins_max; ++spins) {
        pause_briefly();
        std::uint32_t expected = unlocked;
        if (state_.load(std::memory_order_relaxed) == unlocked &&
            state_.compare_exchange_weak(expected, held, std::memory_order_acquire,
                                         std::memory_order_relaxed))
            return;
    }
    while (state_.exchange(awaited, std::memory_order_acquire) != unlocked)
        state_.wait(awaited, std::memory_order_relaxed);
}

}
