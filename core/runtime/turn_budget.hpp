#pragma once

namespace cuebox::detail {

// How many more awaits this thread may complete without suspending before it gives others a turn.
// It keeps an actor with a full mailbox from starving its neighbours and bounds the stack where
// Asio resumes a coroutine from inside the operation it awaits. A loop renews it for everyone it
// wakes.
class turn_budget
{
public:
    static constexpr int full = 64;

    static void renew() noexcept { left_ = full; }
    static bool exhausted() noexcept { return left_ <= 0; }
    static void spend() noexcept { --left_; }

private:
    static inline constinit thread_local int left_ = full;
};

}
