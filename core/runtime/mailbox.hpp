#pragma once

#include <cuebox/runtime/actor_cell.hpp>
#include <cuebox/runtime/actor_frame.hpp>
#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/runtime/contract.hpp>
#include <cuebox/runtime/message_queue.hpp>
#include <cuebox/runtime/turn_budget.hpp>

namespace cuebox::detail {

// The typed mailbox of one actor. Only the writer that finds the reader asleep wakes it.
template <class Set>
class mailbox : public actor_cell
{
public:
    using any = typename Set::any;
    using waiting = waiting_sender<any>;

    mailbox(const std::string& name, cell* parent, loop& home, const child_options& options)
        : actor_cell(name, parent, home, options),
          queue_(options.capacity)
    {}

    const std::type_info& message_set() const noexcept override { return typeid(Set); }

    // Any thread. Takes the message only when it answers `accepted`.
    template <class M>
    sent push(M&& message)
    {
        using kind = std::remove_cvref_t<M>;
        if constexpr (coalescing<kind>) {
            constexpr std::uint32_t bit = 1u << Set::template index_of<kind>;
            if (pending_.fetch_or(bit, std::memory_order_acq_rel) & bit)
                return state() == actor_state::ended ? sent::gone : sent::accepted;
        }
        constexpr bool bounded = !coalescing<kind>;
        bool wake = false;
        const bool near = loop::current() == &home() && queue_.near_lane();
        const sent result =
            near ? queue_.template push_near<kind>(std::forward<M>(message), bounded, wake)
                 : queue_.template push_far<kind>(std::forward<M>(message), bounded, wake);
        if (wake)
            home().push(reader_node_);
        return result;
    }

    // Asks are refused while the actor is between two lives.
    template <class M>
    sent push_request(request<M>&& asked)
    {
        if (state() == actor_state::restarting) {
            asked.reply.fail(ask_failure::restarting);
            return sent::accepted;
        }
        return push(std::move(asked));
    }

    // Tries once more and queues up if there is still no room: true when it has to wait.
    bool wait_for_room(waiting& sender, sent& result)
    {
        bool wake = false;
        const bool waits = queue_.wait(sender, result, wake);
        if (wake)
            home().push(reader_node_);
        return waits;
    }

    // A sender that gives up; false when its message has been taken in the meantime.
    bool forget(waiting& sender) noexcept { return queue_.forget(sender); }

    // The actor's side: gives the next message, or nothing once the actor was asked to stop.
    class [[nodiscard]] receive_op
        : public operation<receive_op, void(std::exception_ptr, std::optional<any>)>
    {
    public:
        explicit receive_op(mailbox& box) noexcept : box_(box) {}

        bool ready() { return !turn_budget::exhausted() && box_.next_message(); }
        std::optional<any> take_result()
        {
            turn_budget::spend();
            return box_.take();
        }

        // From an actor's frame.
        void park(parked coroutine)
        {
            const auto cancellation = coroutine.get_cancellation_slot();
            box_.await_message(std::move(coroutine), cancellation);
        }
        std::optional<any> finish() { return box_.outcome(); }

        // From any other.
        template <class Handler>
        void start(Handler handler)
        {
            const auto cancellation = asio::get_associated_cancellation_slot(handler);
            box_.await_message(by_handler<Handler>{box_, std::move(handler)}, cancellation);
        }

    private:
        mailbox& box_;
    };

    // What is there now, without waiting, also after the actor was asked to stop.
    std::optional<any> try_receive()
    {
        if (urgent_.empty() && !queue_.holds() && queue_.refill() == 0)
            return std::nullopt;
        return take();
    }

    // The actor's own loop: past all others, room or no room. A timer that rings again before its
    // last message was read does not add another.
    void deliver_urgently(any message, std::uint64_t timer = 0)
    {
        const auto same = [timer](const urgent& each) { return each.timer == timer; };
        if (timer != 0 && std::any_of(urgent_.begin() + static_cast<std::ptrdiff_t>(urgent_taken_),
                                      urgent_.end(), same))
            return;
        urgent_.push_back({std::move(message), timer});
        wake_reader();
    }

    void prepare_restart() override
    {
        // The state changes first: an ask that arrives from now on fails at once.
        cell::prepare_restart();
        clear_urgent();
        std::vector<any> queued = queue_.take_all();
        std::vector<any> kept;
        for (any& each : queued)
            if (!fail_if_asked(each, ask_failure::restarting))
                kept.push_back(std::move(each));
        queue_.put_back(std::move(kept));
        waiting* asks = queue_.take_waiting_asks();
        for (waiting* each = asks; each; each = message_queue<any>::next_of(each))
            each->refuse(ask_failure::restarting);
        complete(asks, sent::accepted);
        admit();
    }

    void close(const exit_reason& reason) override
    {
        waiting* refused = queue_.close();
        actor_cell::close(reason);
        complete(refused, sent::gone);
        clear_urgent(); // it may hold addresses, this one too
        std::vector<any> dropped = queue_.take_all();
        for (any& each : dropped)
            fail_if_asked(each, ask_failure::stopped);
        queue_.put_back({});
    }

protected:
    void life_begins() noexcept override { queue_.open_near_lane(true); }
    void life_ends() noexcept override { queue_.open_near_lane(false); }

    void cancel_reader() override
    {
        if (!reader_ || reader_has_slot_)
            return;
        reader_cancelled_ = true;
        wake_reader();
    }

    void wake_reader() override
    {
        if (queue_.claim_wake())
            home().push(reader_node_);
    }

    bool deliver(exited&& news) override
    {
        if constexpr (Set::template contains<exited>) {
            deliver_urgently(any(std::in_place_type<exited>, std::move(news)));
            return true;
        }
        else
            return false;
    }

    std::pair<std::size_t, std::size_t> mailbox_depth_and_peak() const override
    {
        return queue_.depth_and_peak();
    }

private:
    struct urgent
    {
        any message;
        std::uint64_t timer;
    };

    struct reader_node : ready_node
    {
        explicit reader_node(mailbox& box_) noexcept
            : ready_node(
                  [](ready_node& node) { static_cast<reader_node&>(node).box.resume_reader(); }),
              box(box_)
        {}
        mailbox& box;
    };

    template <class Handler>
    struct by_handler
    {
        void operator()()
        {
            std::exception_ptr error;
            std::optional<any> message;
            try {
                message = box.outcome();
            }
            catch (...) {
                error = std::current_exception();
            }
            std::move(handler)(error, std::move(message));
        }
        mailbox& box;
        Handler handler;
    };

    template <class Waiting>
    void await_message(Waiting&& waiting, asio::cancellation_slot cancellation)
    {
        CUEBOX_ASSERT(!reader_, "an actor awaits receive() twice at the same time");
        reader_.set(std::forward<Waiting>(waiting));
        reader_has_slot_ = cancellation != main_slot_;
        if (reader_has_slot_ && cancellation.is_connected())
            cancellation.assign([this](asio::cancellation_type) {
                reader_cancelled_ = true;
                wake_reader();
            });
        sleep_or_requeue();
    }

    // What the reader was woken for.
    std::optional<any> outcome()
    {
        if (std::exchange(reader_cancelled_, false))
            std::rethrow_exception(cancelled_error());
        if (stopping())
            return std::nullopt;
        if (child_failure_)
            std::rethrow_exception(std::exchange(child_failure_, nullptr));
        return take();
    }

    bool interrupted() const noexcept { return stopping() || reader_cancelled_ || child_failure_; }

    bool next_message()
    {
        if (interrupted())
            return false;
        return queue_.holds() || !urgent_.empty() || (queue_.has_arrivals() && refill());
    }

    bool refill()
    {
        const std::size_t arrived = queue_.refill();
        earn_linger(arrived);
        if (queue_.should_admit())
            admit();
        return arrived > 0;
    }

    std::optional<any> take()
    {
        if (!urgent_.empty())
            return take_urgent();
        std::optional<any> taken(queue_.take());
        if constexpr (has_coalescing)
            allow_again(taken->index());
        if (queue_.should_admit())
            admit();
        return taken;
    }

    std::optional<any> take_urgent()
    {
        std::optional<any> first(std::move(urgent_[urgent_taken_++].message));
        if (urgent_taken_ == urgent_.size())
            clear_urgent();
        return first;
    }
    void clear_urgent()
    {
        urgent_taken_ = 0;
        urgent_.clear();
    }

    void sleep_or_requeue()
    {
        if (interrupted() || !urgent_.empty() || queue_.holds()) {
            home().push(reader_node_);
            return;
        }
        const bool linger = linger_credit_ >= linger_price && loop::current() == &home();
        const std::size_t arrived = queue_.refill_or_sleep(!linger);
        if (queue_.should_admit())
            admit();
        if (arrived > 0) {
            earn_linger(arrived);
            home().push(reader_node_);
        }
        else if (linger) {
            linger_credit_ -= linger_price;
            home().linger(reader_node_);
        }
    }

    void resume_reader()
    {
        if (!reader_)
            return;
        if (interrupted() || next_message())
            reader_();
        else
            sleep_or_requeue();
    }

    void admit()
    {
        bool wake = false;
        waiting* admitted = queue_.admit(wake);
        if (wake)
            home().push(reader_node_);
        complete(admitted, sent::accepted);
    }

    static void complete(waiting* chain, sent result)
    {
        while (chain) {
            waiting* each = chain;
            chain = message_queue<any>::next_of(chain); // completing may end it
            each->complete(result);
        }
    }

    static bool fail_if_asked(any& message, ask_failure why)
    {
        return std::visit(
            [why]<class M>(M& each) {
                if constexpr (is_request<M>) {
                    each.reply.fail(why);
                    return true;
                }
                return false;
            },
            message);
    }

    static constexpr bool has_coalescing =
        []<class... Ms>(std::type_identity<std::variant<Ms...>>) {
            return (coalescing<Ms> || ...);
        }(std::type_identity<any>{});

    // Cleared before the message is handled, so a wake sent while it is handled is not lost.
    void allow_again(std::size_t index) noexcept
    {
        pending_.fetch_and(~(std::uint32_t{1} << index), std::memory_order_acq_rel);
    }

    // A mailbox that another thread keeps filling lingers before it sleeps, because being woken
    // across threads costs as much as hundreds of messages. It earns that by messages that came
    // from afar in numbers, so one that gets a message now and then sleeps at once.
    void earn_linger(std::size_t arrived) noexcept
    {
        linger_credit_ = std::min(linger_credit_ + arrived, linger_credit_max);
    }
    static constexpr std::size_t linger_price = 8;
    static constexpr std::size_t linger_credit_max = 256;

    reader_node reader_node_{*this};
    std::atomic<std::uint32_t> pending_{0}; // coalescing messages that wait already, a bit each
    message_queue<any> queue_;
    std::vector<urgent> urgent_; // the system lane: timers and exits
    std::size_t urgent_taken_ = 0;
    std::size_t linger_credit_ = 0;
    bool reader_cancelled_ = false;
    bool reader_has_slot_ = false;
    resumption<> reader_;
};

}
