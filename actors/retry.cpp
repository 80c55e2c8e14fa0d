#include "retry.hpp"

#include "trouble.hpp"

#include <algorithm>
#include <utility>

namespace cuebox::actors {

namespace {

// Rows that are due within moments of each other are one wake.
constexpr std::chrono::milliseconds shortest{20};
constexpr std::chrono::milliseconds look_every{100};
// Nothing is lost by looking again: the row may have been settled by others meanwhile.
constexpr std::chrono::hours longest{1};

}

awaitable<void> retry::run(self<messages>& me)
{
    co_await find_next(me);
    while (auto message = co_await me.receive()) {
        if (const auto* put_off = std::get_if<due_in>(&*message)) {
            arm(me, put_off->delay);
            continue;
        }
        if (std::holds_alternative<look>(*message)) {
            // Wakes come in numbers; what may wait for them waits a moment longer.
            if (!std::exchange(looking_, true))
                me.after(look_every, look_now{});
            continue;
        }
        if (std::holds_alternative<now_due>(*message)) {
            alarm_ = 0;
            (void)company_->claimer.try_send(wake{});
        }
        looking_ = false;
        co_await find_next(me);
    }
}

awaitable<void> retry::find_next(self<messages>& me)
{
    std::optional<std::chrono::microseconds> due;
    try {
        due = co_await company_->relay->next_due();
    }
    catch (const std::exception& error) {
        note_trouble(company_->log, *company_->trouble, "retry", error);
        due = company_->settings.poll;
    }
    if (due)
        arm(me, *due);
}

// An earlier alarm stands: what it was set for may be due between two looks, and seen by neither.
void retry::arm(self<messages>& me, duration in)
{
    const time_point at = me.now() + std::clamp<duration>(in, shortest, longest);
    if (alarm_ != 0 && rings_at_ <= at)
        return;
    if (alarm_ != 0)
        me.cancel(alarm_);
    rings_at_ = at;
    alarm_ = me.after(at - me.now(), now_due{});
}

}
