#pragma once

#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/runtime/mailbox.hpp>

#include <boost/asio/error.hpp>

namespace cuebox::detail {

// A send that waits for room. It completes at once when there is room; it may have a deadline, on a
// loop that the caller runs on, and answers `full` when that passes.
template <class Set, class M>
class [[nodiscard]] send_op final
    : public operation<send_op<Set, M>, void(std::exception_ptr, sent)>,
      waiting_sender<typename Set::any>,
      ready_node,
      timer_node
{
public:
    using box_type = mailbox<Set>;

    // `box` may be null: nobody. It must live until the operation is awaited, not longer.
    send_op(box_type* box, M message, loop* timers = nullptr,
            time_point deadline = time_point::max())
        : ready_node([](ready_node& node) { static_cast<send_op&>(node).resume(); }),
          timer_node([](timer_node& node) { static_cast<send_op&>(node).give_up(false); }),
          box_(std::move(box)),
          message_(std::move(message)),
          timers_(timers),
          deadline_(deadline)
    {}

    bool ready()
    {
        if (turn_budget::exhausted())
            return false;
        result_ = push();
        return result_ != sent::full;
    }
    sent take_result()
    {
        turn_budget::spend();
        return result_;
    }

    template <class Handler>
    void start(Handler handler)
    {
        // A frame of Asio's own asks start() alone: then it is resumed from inside this call.
        if (ready()) {
            turn_budget::spend();
            handler(std::exception_ptr(), result_);
            return;
        }
        if (turn_budget::exhausted())
            result_ = push();
        auto cancellation = asio::get_associated_cancellation_slot(handler);
        waiting_.set(std::move(handler));
        keep_ = box_;
        // With a deadline it is resumed in a turn of the loop that keeps it, which disarms it
        // first.
        home_ = timers_ ? timers_ : loop::current();
        if (home_ && !timers_ && !waiting_.runs_on(home_->executor()))
            home_ = nullptr;
        if (result_ != sent::full) {
            turn_budget::renew(); // its turn is over; where there is no loop, nobody else renews it
            wake();
            return;
        }
        if (cancellation.is_connected())
            cancellation.assign([this](asio::cancellation_type) { give_up(true); });
        if (timers_ && deadline_ != time_point::max())
            timers_->arm(*this, deadline_);
        if (!box_->wait_for_room(*this, result_))
            wake();
    }

private:
    sent push()
    {
        if (!box_)
            return sent::gone;
        if constexpr (is_request<M>)
            return box_->push_request(std::move(message_));
        else
            return box_->push(std::move(message_));
    }

    void move_message_to(std::vector<typename Set::any>& lane) override
    {
        lane.emplace_back(std::in_place_type<M>, std::move(message_));
    }

    bool is_ask() const noexcept override { return is_request<M>; }
    void refuse([[maybe_unused]] ask_failure why) override
    {
        if constexpr (is_request<M>)
            message_.reply.fail(why);
    }

    // From the mailbox, on any thread.
    void complete(sent result) override
    {
        result_ = result;
        wake();
    }

    void give_up(bool cancelled)
    {
        if (!box_->forget(*this))
            return;
        cancelled_ = cancelled;
        result_ = sent::full;
        wake();
    }

    void wake()
    {
        if (home_)
            home_->push(*this);
        else
            waiting_.post(cancelled_ ? cancelled_error() : nullptr, result_);
    }

    void resume()
    {
        if (timers_)
            timers_->disarm(*this);
        waiting_.resume_on(home_->executor(), cancelled_ ? cancelled_error() : nullptr, result_);
    }

    box_type* box_;
    boost::intrusive_ptr<box_type> keep_; // while it waits
    M message_;
    loop* timers_;
    time_point deadline_;
    loop* home_ = nullptr;
    bool cancelled_ = false;
    sent result_ = sent::full;
    resumption<std::exception_ptr, sent> waiting_;
};

}
