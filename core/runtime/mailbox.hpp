#pragma once

#include <cuebox/runtime/actor_cell.hpp>
#include <cuebox/runtime/contract.hpp>
#include <cuebox/runtime/inline_depth.hpp>
#include <cuebox/runtime/messages.hpp>

#include <algorithm>
#include <mutex>

namespace cuebox::detail {

// A sender that waits for room, kept inside the operation it awaits.
template <class Any>
struct waiting_sender
{
    virtual void complete(sent result) = 0;

    waiting_sender* next = nullptr;
    waiting_sender** link = nullptr; // what points here; null when not waiting

protected:
    ~waiting_sender() = default;

public:
    virtual Any take_message() = 0;
};

// The typed, bounded mailbox of one actor: many writers on any thread, one reader on the actor's
// loop.
//
// Writers append to `in_` under a short lock. The reader owns `out_` and swaps the two when it has
// run out, so it takes the lock once per batch and touches no line that writers write in between.
// Both vectors keep their storage: no allocation once the peak was seen. Only the writer that finds
// the reader asleep wakes it.
template <class Set>
class mailbox : public actor_cell
{
public:
    using any = typename Set::any;
    using waiting = waiting_sender<any>;

    mailbox(std::string name, cell* parent, loop& home, const child_options& options)
        : actor_cell(std::move(name), parent, home, options),
          capacity_(std::max<std::size_t>(options.capacity, 1)),
          publish_mask_(capacity_ > 128 ? 31 : 0)
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
        bool wake;
        {
            std::vector<any> outgrown;
            const std::lock_guard guard(writers_);
            if (closed_)
                return sent::gone;
            if constexpr (!coalescing<kind>)
                if (!has_room())
                    return sent::full;
            make_space(outgrown);
            in_.emplace_back(std::in_place_type<kind>, std::forward<M>(message));
            wake = note_arrival();
        }
        if (wake)
            home().push(reader_node_);
        return sent::accepted;
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

    // Tries once more and queues up if there is still no room: false when it need not wait after
    // all.
    bool wait_for_room(waiting& sender, sent& result)
    {
        bool wake;
        {
            std::vector<any> outgrown;
            const std::lock_guard guard(writers_);
            if (closed_) {
                result = sent::gone;
                return false;
            }
            if (!has_room()) {
                sender.link = last_waiting_;
                *last_waiting_ = &sender;
                last_waiting_ = &sender.next;
                senders_wait_.store(true, std::memory_order_relaxed);
                return true;
            }
            make_space(outgrown);
            in_.push_back(sender.take_message());
            wake = note_arrival();
        }
        if (wake)
            home().push(reader_node_);
        result = sent::accepted;
        return false;
    }

    // A sender that gives up; false when its message has been taken in the meantime.
    bool forget(waiting& sender) noexcept
    {
        const std::lock_guard guard(writers_);
        if (!sender.link)
            return false;
        unlink(sender);
        return true;
    }

    // The actor's side: gives the next message, or nothing once the actor was asked to stop.
    class receive_op : public operation<receive_op, void(std::exception_ptr, std::optional<any>)>
    {
    public:
        explicit receive_op(mailbox& box) noexcept : box_(box) {}

        template <class Handler>
        void start(Handler handler)
        {
            if (!inline_depth::exhausted() && box_.next_message()) {
                const inline_depth deeper;
                handler(std::exception_ptr(), box_.take());
                return;
            }
            auto cancellation = asio::get_associated_cancellation_slot(handler);
            CUEBOX_ASSERT(!box_.reader_, "an actor awaits receive() twice at the same time");
            box_.reader_.set(std::move(handler));
            if (cancellation.is_connected())
                cancellation.assign([box = &box_](asio::cancellation_type) {
                    box->reader_cancelled_ = true;
                    box->wake_reader();
                });
            box_.sleep_or_requeue();
        }

    private:
        mailbox& box_;
    };

    // What is there now, without waiting, also after the actor was asked to stop.
    std::optional<any> try_receive()
    {
        if (urgent_next_ == urgent_.size() && out_next_ == out_.size() && !refill())
            return std::nullopt;
        return take();
    }

    void deliver_urgently(any message)
    {
        urgent_.push_back(std::move(message));
        wake_reader();
    }

    void prepare_restart() override
    {
        // The state changes first: an ask that arrives from now on fails at once.
        cell::prepare_restart();
        urgent_.clear();
        urgent_next_ = 0;
        std::vector<any> queued = take_all();
        for (any& each : queued)
            if (!fail_if_asked(each, ask_failure::restarting))
                out_.push_back(std::move(each));
        {
            const std::lock_guard guard(writers_);
            batch_ = out_.size();
        }
        admit();
    }

    void close(const exit_reason& reason) override
    {
        waiting* refused;
        {
            const std::lock_guard guard(writers_);
            closed_ = true;
            refused = first_waiting_;
            first_waiting_ = nullptr;
            last_waiting_ = &first_waiting_;
            for (waiting* each = refused; each; each = each->next)
                each->link = nullptr;
        }
        actor_cell::close(reason);
        while (refused)
            std::exchange(refused, refused->next)->complete(sent::gone);
        std::vector<any> dropped = take_all();
        for (any& each : dropped)
            fail_if_asked(each, ask_failure::stopped);
    }

protected:
    void wake_reader() override
    {
        {
            const std::lock_guard guard(writers_);
            if (!std::exchange(asleep_, false))
                return;
        }
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
        const std::lock_guard guard(writers_);
        return {depth(), std::max(peak_, depth())};
    }

private:
    struct reader_node : ready_node
    {
        explicit reader_node(mailbox& box_) noexcept
            : ready_node(
                  [](ready_node& node) { static_cast<reader_node&>(node).box.resume_reader(); }),
              box(box_)
        {}
        mailbox& box;
    };

    // Under the writers' lock.
    std::size_t depth() const noexcept
    {
        return in_.size() + batch_ - taken_.load(std::memory_order_relaxed);
    }
    bool has_room() const noexcept
    {
        // The first question is enough most of the time, and spares the reader's cache line.
        return in_.size() + batch_ < capacity_ || depth() < capacity_;
    }
    bool note_arrival() noexcept
    {
        from_afar_ |= loop::current() != &home();
        return std::exchange(asleep_, false);
    }
    // Growing leaves the old storage, with its moved-from messages, to be destroyed outside the
    // lock: a message's destructor may send.
    void make_space(std::vector<any>& outgrown, std::size_t room = 1)
    {
        if (in_.size() + room <= in_.capacity())
            return;
        outgrown.reserve(std::max(in_.capacity() * 2, in_.size() + room));
        for (any& each : in_)
            outgrown.push_back(std::move(each));
        outgrown.swap(in_);
    }
    void unlink(waiting& sender) noexcept
    {
        *sender.link = sender.next;
        (sender.next ? sender.next->link : last_waiting_) = sender.link;
        sender.link = nullptr;
    }

    // The reader's side, on its loop.
    bool interrupted() const noexcept { return stopping() || reader_cancelled_ || child_failure_; }
    bool next_message()
    {
        return !interrupted() &&
               (urgent_next_ < urgent_.size() || out_next_ < out_.size() || refill());
    }

    bool refill()
    {
        out_.clear();
        out_next_ = 0;
        {
            const std::lock_guard guard(writers_);
            swap_in();
        }
        if (senders_wait_.load(std::memory_order_relaxed))
            admit();
        return !out_.empty();
    }

    void swap_in() noexcept
    {
        out_.swap(in_);
        batch_ = out_.size();
        taken_.store(0, std::memory_order_relaxed);
        peak_ = std::max(peak_, batch_);
        if (std::exchange(from_afar_, false))
            linger_credit_ = std::min<std::size_t>(linger_credit_ + batch_, linger_credit_max);
    }

    std::optional<any> take()
    {
        if (urgent_next_ < urgent_.size())
            return take_urgent();
        any& message = out_[out_next_++];
        std::optional<any> taken(std::move(message));
        if constexpr (has_coalescing)
            allow_again(taken->index());
        if ((out_next_ & publish_mask_) == 0)
            taken_.store(out_next_, std::memory_order_relaxed);
        if (senders_wait_.load(std::memory_order_relaxed) &&
            out_.size() - out_next_ <= capacity_ / 2)
            admit();
        return taken;
    }

    std::optional<any> take_urgent()
    {
        std::optional<any> taken(std::move(urgent_[urgent_next_++]));
        if (urgent_next_ == urgent_.size()) {
            urgent_.clear();
            urgent_next_ = 0;
        }
        return taken;
    }

    void sleep_or_requeue()
    {
        if (interrupted() || urgent_next_ < urgent_.size() || out_next_ < out_.size()) {
            home().push(reader_node_);
            return;
        }
        out_.clear();
        out_next_ = 0;
        bool ready = false;
        bool linger = false;
        {
            const std::lock_guard guard(writers_);
            swap_in();
            if (!out_.empty())
                ready = true;
            else if (linger_credit_ >= linger_price && loop::current() == &home())
                linger = true;
            else
                asleep_ = true;
        }
        if (ready) {
            if (senders_wait_.load(std::memory_order_relaxed))
                admit();
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
        if (reader_cancelled_) {
            reader_cancelled_ = false;
            reader_(cancelled_error(), std::nullopt);
        }
        else if (child_failure_ && !stopping())
            reader_(std::exchange(child_failure_, nullptr), std::nullopt);
        else if (stopping())
            reader_(nullptr, std::nullopt);
        else if (next_message())
            reader_(nullptr, take());
        else
            sleep_or_requeue();
    }

    // Lets waiting senders in, as many as there is room for, and wakes them outside the lock.
    void admit()
    {
        waiting* admitted = nullptr;
        waiting** last = &admitted;
        bool wake = false;
        {
            std::vector<any> outgrown;
            const std::lock_guard guard(writers_);
            taken_.store(out_next_, std::memory_order_relaxed);
            make_space(outgrown, capacity_);
            while (first_waiting_ && depth() < capacity_) {
                waiting& sender = *first_waiting_;
                unlink(sender);
                in_.push_back(sender.take_message());
                sender.next = nullptr;
                *last = &sender;
                last = &sender.next;
            }
            if (!first_waiting_)
                senders_wait_.store(false, std::memory_order_relaxed);
            if (admitted)
                wake = note_arrival();
        }
        if (wake)
            home().push(reader_node_);
        while (admitted)
            std::exchange(admitted, admitted->next)->complete(sent::accepted);
    }

    // Between two lives, or after the last: everything queued, oldest first.
    std::vector<any> take_all()
    {
        std::vector<any> all;
        for (; out_next_ < out_.size(); ++out_next_)
            all.push_back(std::move(out_[out_next_]));
        out_.clear();
        out_next_ = 0;
        std::vector<any> queued;
        {
            const std::lock_guard guard(writers_);
            queued.swap(in_);
            batch_ = 0;
            taken_.store(0, std::memory_order_relaxed);
            asleep_ = false;
        }
        for (any& each : queued)
            all.push_back(std::move(each));
        return all;
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

    static constexpr std::size_t linger_price = 8;
    static constexpr std::size_t linger_credit_max = 256;

    const std::size_t capacity_;
    const std::size_t publish_mask_;
    reader_node reader_node_{*this};
    std::atomic<std::uint32_t> pending_{0};

    // The writers' line, guarded by the lock.
    alignas(64) mutable short_lock writers_;
    bool asleep_ = false;
    bool closed_ = false;
    bool from_afar_ = false;
    std::vector<any> in_;
    std::size_t batch_ = 0;
    std::size_t peak_ = 0;
    waiting* first_waiting_ = nullptr;
    waiting** last_waiting_ = &first_waiting_;

    // The reader's line.
    alignas(64) std::vector<any> out_;
    std::size_t out_next_ = 0;
    std::size_t urgent_next_ = 0;
    std::vector<any> urgent_;
    std::size_t linger_credit_ = 0;
    bool reader_cancelled_ = false;
    std::atomic<std::size_t> taken_{0};
    std::atomic<bool> senders_wait_{false};
    resumption<std::exception_ptr, std::optional<any>> reader_;
};

}
