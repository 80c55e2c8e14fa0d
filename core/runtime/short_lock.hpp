#pragma once

#include <atomic>
#include <cstdint>

namespace cuebox::detail {

// Guards a handful of instructions, never a call into foreign code. It spins briefly, because the
// holder is nearly always about to leave, and then sleeps, because the holder may have been
// preempted.
class short_lock
{
public:
    void lock() noexcept
    {
        std::uint32_t expected = unlocked;
        if (!state_.compare_exchange_strong(expected, held, std::memory_order_acquire,
                                            std::memory_order_relaxed))
            lock_contended();
    }

    void unlock() noexcept
    {
        if (state_.exchange(unlocked, std::memory_order_release) == awaited)
            state_.notify_one();
    }

private:
    void lock_contended() noexcept;

    static constexpr std::uint32_t unlocked = 0;
    static constexpr std::uint32_t held = 1;
    static constexpr std::uint32_t awaited = 2;

    std::atomic<std::uint32_t> state_{unlocked};
};

// Tells the processor that this is a spin loop.
inline void pause_briefly() noexcept
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}
