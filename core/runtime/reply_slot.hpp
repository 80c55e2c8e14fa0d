#pragma once

#include <cuebox/runtime/ask_error.hpp>
#include <cuebox/runtime/loop.hpp>
#include <cuebox/runtime/resumption.hpp>
#include <cuebox/runtime/slot_cache.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/error.hpp>

#include <atomic>
#include <optional>
#include <type_traits>
#include <variant>

namespace cuebox::detail {

// Where an answer meets the one who asked. Two hold it: the asker, on its loop, and the reply_to in
// the asked actor's hands, on any thread. Whoever moves it out of `open` first decides how the ask
// ends.
template <class R>
class reply_slot : ready_node, timer_node
{
public:
    using outcome = std::variant<R, ask_failure>;

    static reply_slot* make(loop& home)
    {
        return new (slot_cache<reply_slot>::take()) reply_slot(home);
    }

    // The answering side, any thread; each call gives up that side's hold.
    void answer(R value)
    {
        if (decide()) {
            outcome_.template emplace<0>(std::move(value));
            home_.push(*this);
        }
        else
            release();
    }

    void fail(ask_failure why) noexcept
    {
        if (decide()) {
            outcome_.template emplace<1>(why);
            home_.push(*this);
        }
        else
            release();
    }

    // The asking side, on its loop.
    template <class Handler>
    void wait(time_point deadline, Handler&& handler)
    {
        auto cancellation = asio::get_associated_cancellation_slot(handler);
        waiting_.set(std::forward<Handler>(handler));
        if (arrived_) {
            home_.push(*this);
            return;
        }
        home_.arm(*this, deadline);
        if (cancellation.is_connected())
            cancellation.assign([this](asio::cancellation_type) { give_up(ending::cancelled); });
    }

    // The asker leaves without waiting.
    void abandon() noexcept
    {
        abandoned_ = true;
        ending expected = ending::open;
        if (arrived_)
            release(); // the answer's hold, which no resume will drop any more
        else
            (void)ending_.compare_exchange_strong(expected, ending::cancelled);
        release();
    }

    void release() noexcept
    {
        if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            this->~reply_slot();
            slot_cache<reply_slot>::give_back(this);
        }
    }

private:
    enum class ending : unsigned char
    {
        open,
        decided,
        timed_out,
        cancelled
    };

    explicit reply_slot(loop& home)
        : ready_node([](ready_node& node) { static_cast<reply_slot&>(node).resume(); }),
          timer_node(
              [](timer_node& node) { static_cast<reply_slot&>(node).give_up(ending::timed_out); }),
          home_(home)
    {}

    bool decide() noexcept
    {
        ending expected = ending::open;
        return ending_.compare_exchange_strong(expected, ending::decided,
                                               std::memory_order_acq_rel);
    }

    void give_up(ending how)
    {
        ending expected = ending::open;
        if (!ending_.compare_exchange_strong(expected, how, std::memory_order_acq_rel))
            return;
        outcome_.template emplace<1>(ask_failure::timed_out);
        references_.fetch_add(1, std::memory_order_relaxed); // the push's, dropped by resume
        home_.push(*this);
    }

    // In a turn of the asker's loop.
    void resume()
    {
        arrived_ = true;
        if (!waiting_) {
            // Answered before the asker waits: wait() will push again, unless it is never called.
            if (abandoned_)
                release();
            return;
        }
        home_.disarm(*this);
        const bool cancelled = ending_.load(std::memory_order_relaxed) == ending::cancelled;
        boost::system::error_code error;
        if (cancelled)
            error = asio::error::operation_aborted;
        outcome result = std::move(outcome_);
        struct hold
        {
            reply_slot* slot;
            ~hold() { slot->release(); }
        } hold{this};
        waiting_.resume_on(home_.executor(), error, std::move(result));
    }

    loop& home_;
    std::atomic<unsigned> references_{2};
    std::atomic<ending> ending_{ending::open};
    bool arrived_ = false;
    bool abandoned_ = false;
    outcome outcome_{std::in_place_index<1>, ask_failure::timed_out};
    resumption<boost::system::error_code, outcome> waiting_;
};

}
