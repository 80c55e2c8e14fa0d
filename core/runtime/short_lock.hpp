#pragma once

#include <atomic>

namespace cuebox::detail {

// Guards a handful of instructions, never a call into foreign code. It spins briefly, because the
// holder is nearly always about to leave, and then yields, because the holder may have been
// preempted. Leaving is a plain store: nobody sleeps on it, so nobody has to be woken.
class short_lock
{
public:
    void lock() noexcept
    {
        if (held_.exchange(true, std::memory_order_acquire))
            lock_contended();
    }

    void unlock() noexcept { held_.store(false, std::memory_order_release); }

private:
    void lock_contended() noexcept;

    std::atomic<bool> held_{false};
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
