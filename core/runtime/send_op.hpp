#pragma once

#include <cuebox/runtime/mailbox.hpp>

#include <boost/asio/error.hpp>

namespace cuebox::detail {

// A send that waits for room. It completes at once when there is room; it may have a deadline, on a
// loop that the caller runs on, and answers `full` when that passes.
template <class Set, class M>
class send_op final : public operation<send_op<Set, M>, void(std::exception_ptr, sent)>,
                      waiting_sender<typename Set::any>,
                      ready_node,
                      timer_node
{
public:
    using box_type = mailbox<Set>;

    send_op(boost::intrusive_ptr<box_type> box, M message, loop* timers = nullptr,
            time_point deadline = time_point::max())
        : ready_node([](ready_node& node) { static_cast<send_op&>(node).resume(); }),
          timer_node([](timer_node& node) { static_cast<send_op&>(node).give_up(false); }),
          box_(std::move(box)),
          message_(std::move(message)),
          timers_(timers),
          deadline_(deadline)
    {}

    template <class Handler>
    void start(Handler handler)
    {
        result_ = box_ ? push() : sent::gone;
        if (result_ != sent::full && !inline_depth::exhausted()) {
            const inline_depth deeper;
            handler(std::exception_ptr(), result_);
            return;
        }
        auto cancellation = asio::get_associated_cancellation_slot(handler);
        waiting_.set(std::move(handler));
        home_ = loop::current();
        if (home_ && !waiting_.runs_on(home_->executor()))
            home_ = nullptr;
        if (result_ != sent::full) {
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
        if constexpr (is_request<M>)
            return box_->push_request(std::move(message_));
        else
            return box_->push(std::move(message_));
    }

    typename Set::any take_message() override
    {
        return typename Set::any(std::in_place_type<M>, std::move(message_));
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
        waiting_(cancelled_ ? cancelled_error() : nullptr, result_);
    }

    boost::intrusive_ptr<box_type> box_;
    M message_;
    loop* timers_;
    time_point deadline_;
    loop* home_ = nullptr;
    bool cancelled_ = false;
    sent result_ = sent::full;
    resumption<std::exception_ptr, sent> waiting_;
};

}
