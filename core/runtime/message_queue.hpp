#pragma once

#include <cuebox/runtime/messages.hpp>
#include <cuebox/runtime/short_lock.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

namespace cuebox::detail {

// A sender that waits for room, kept inside the operation it awaits.
template <class Any>
class waiting_sender
{
public:
    // Under the queue's lock: nothing may be destroyed in there.
    virtual void move_message_to(std::vector<Any>& lane) = 0;
    virtual void complete(sent result) = 0;
    // An ask that waits does not wait for an actor to come back.
    virtual bool is_ask() const noexcept = 0;
    virtual void refuse(ask_failure why) = 0;

protected:
    virtual ~waiting_sender() = default; // virtual for GCC, which takes the friend for a deleter

private:
    template <class>
    friend class message_queue;

    waiting_sender* next_ = nullptr;
    waiting_sender** link_ = nullptr; // what points here; null when not waiting
};

// The bounded queue of a mailbox: many writers on any thread, one reader. It wakes nobody: it says
// when the reader has to be woken.
//
// Two lanes. From afar, writers append to `far_` under a short lock, and the reader takes all of it
// at once when it has nothing else. On the reader's own loop, where nothing runs at the same time,
// a writer appends to what the reader reads from, without lock or atomics. That lane is open only
// while `far_` is empty, so two messages of one sender never overtake each other.
//
// All vectors keep their storage: nothing is allocated once the peak was seen. No message is
// destroyed under the lock or while a vector is being changed, because its destructor may send.
template <class Any>
class message_queue
{
public:
    using waiting = waiting_sender<Any>;

    explicit message_queue(std::size_t capacity)
        : capacity_(std::max<std::size_t>(capacity, 1)),
          publish_mask_(capacity_ > 128 ? 31 : 0)
    {}

    std::size_t capacity() const noexcept { return capacity_; }

    // --- Writers, any thread. `wake` is set when the caller has to wake the reader. ---

    template <class Kind, class M>
    sent push_far(M&& message, bool bounded, bool& wake)
    {
        std::vector<Any> outgrown;
        const std::lock_guard guard(lock_);
        if (closed_)
            return sent::gone;
        if (bounded && (first_waiting_ || !has_room()))
            return sent::full; // nobody overtakes those who wait
        grow(far_, outgrown);
        far_.emplace_back(std::in_place_type<Kind>, std::forward<M>(message));
        wake = note_arrival();
        return sent::accepted;
    }

    // Tries once more and queues up if there is still no room: true when it has to wait.
    bool wait(waiting& sender, sent& result, bool& wake)
    {
        std::vector<Any> outgrown;
        const std::lock_guard guard(lock_);
        if (closed_) {
            result = sent::gone;
            return false;
        }
        if (first_waiting_ || !has_room()) {
            sender.link_ = last_waiting_;
            *last_waiting_ = &sender;
            last_waiting_ = &sender.next_;
            senders_wait_.store(true, std::memory_order_relaxed);
            return true;
        }
        grow(far_, outgrown);
        sender.move_message_to(far_);
        wake = note_arrival();
        result = sent::accepted;
        return false;
    }

    // A sender that gives up; false when its message has been taken in the meantime.
    bool forget(waiting& sender) noexcept
    {
        const std::lock_guard guard(lock_);
        if (!sender.link_)
            return false;
        unlink(sender);
        return true;
    }

    // Sets the reader's sleeping flag back; false when somebody else has done so.
    bool claim_wake() noexcept { return asleep_.exchange(false, std::memory_order_acq_rel); }

    std::pair<std::size_t, std::size_t> depth_and_peak() const
    {
        const std::lock_guard guard(lock_);
        const std::size_t depth = far_.size() + held_.load(std::memory_order_relaxed);
        return {depth, std::max({far_peak_, near_peak_.load(std::memory_order_relaxed), depth})};
    }

    // --- The reader's loop. ---

    void open_near_lane(bool open) noexcept { near_open_ = open; }
    bool near_lane() const noexcept
    {
        return near_open_ && !arrivals_.load(std::memory_order_relaxed);
    }

    template <class Kind, class M>
    sent push_near(M&& message, bool bounded, bool& wake)
    {
        if (bounded &&
            (near_.size() - next_ >= capacity_ || senders_wait_.load(std::memory_order_relaxed)))
            return sent::full;
        while (near_.size() == near_.capacity())
            make_space_near();
        near_.emplace_back(std::in_place_type<Kind>, std::forward<M>(message));
        publish(near_.size());
        if (near_.size() - next_ > near_peak_.load(std::memory_order_relaxed))
            near_peak_.store(near_.size() - next_, std::memory_order_relaxed);
        wake = asleep_.load(std::memory_order_relaxed) && claim_wake();
        return sent::accepted;
    }

    bool holds() const noexcept { return next_ < near_.size(); }
    bool has_arrivals() const noexcept { return arrivals_.load(std::memory_order_relaxed); }

    // Takes what came from afar, if the reader has nothing else; how many.
    std::size_t refill() { return refill_or_sleep(false); }

    // Goes to sleep unless something has arrived: then it is taken and 0 means asleep.
    std::size_t refill_or_sleep(bool sleep)
    {
        clear_near();
        if (!near_.empty())
            return near_.size(); // a destructor of what was cleared has sent
        const std::lock_guard guard(lock_);
        const std::size_t taken = swap_in();
        if (taken == 0 && sleep)
            asleep_.store(true, std::memory_order_relaxed);
        return taken;
    }

    Any take()
    {
        Any taken(std::move(near_[next_++]));
        publish(next_);
        return taken;
    }

    // Is it time to let waiting senders in? Not one by one: half a mailbox at a time.
    bool should_admit() const noexcept
    {
        return senders_wait_.load(std::memory_order_relaxed) &&
               near_.size() - next_ <= capacity_ / 2;
    }

    // Lets waiting senders in, as many as there is room for; complete() each of them. On the near
    // lane if it is open, so that those who send next need not take the other.
    waiting* admit(bool& wake)
    {
        if (near_open_ && near_.capacity() - near_.size() < capacity_)
            make_space_near();
        waiting* admitted = nullptr;
        waiting** last = &admitted;
        std::vector<Any> outgrown;
        const std::lock_guard guard(lock_);
        held_.store(near_.size() - next_, std::memory_order_relaxed);
        const bool near =
            near_open_ && far_.empty() && near_.capacity() - near_.size() >= capacity_;
        if (first_waiting_ && !near)
            grow(far_, outgrown, capacity_);
        while (first_waiting_ && has_room()) {
            waiting& sender = *first_waiting_;
            unlink(sender);
            sender.move_message_to(near ? near_ : far_);
            if (near)
                held_.store(near_.size() - next_, std::memory_order_relaxed);
            sender.next_ = nullptr;
            *last = &sender;
            last = &sender.next_;
        }
        senders_wait_.store(first_waiting_ != nullptr, std::memory_order_relaxed);
        if (admitted && near)
            wake = asleep_.load(std::memory_order_relaxed) && claim_wake();
        else if (admitted)
            wake = note_arrival();
        return admitted;
    }
    static waiting* next_of(waiting* each) noexcept { return each->next_; }

    // Takes the asks from among those who wait; refuse() and complete() each of them.
    waiting* take_waiting_asks() noexcept
    {
        waiting* asks = nullptr;
        waiting** last = &asks;
        const std::lock_guard guard(lock_);
        for (waiting* each = first_waiting_; each;) {
            waiting* const after = each->next_;
            if (each->is_ask()) {
                unlink(*each);
                each->next_ = nullptr;
                *last = each;
                last = &each->next_;
            }
            each = after;
        }
        return asks;
    }

    // --- Between two lives, or after the last, when nobody reads. ---

    // Everything queued, oldest first. It keeps its room until put_back() says what stays: else a
    // sender on another thread could fill the mailbox a second time in between.
    std::vector<Any> take_all()
    {
        std::vector<Any> all;
        for (; next_ < near_.size(); ++next_)
            all.push_back(std::move(near_[next_]));
        clear_near();
        std::vector<Any> rest;
        {
            const std::lock_guard guard(lock_);
            rest.swap(far_);
            arrivals_.store(false, std::memory_order_relaxed);
            held_.store(all.size() + rest.size(), std::memory_order_relaxed);
            asleep_.store(false, std::memory_order_relaxed);
        }
        for (Any& each : rest)
            all.push_back(std::move(each));
        return all;
    }

    // Puts messages back in front of all others.
    void put_back(std::vector<Any> kept)
    {
        near_.swap(kept);
        next_ = 0;
        const std::lock_guard guard(lock_);
        held_.store(near_.size(), std::memory_order_relaxed);
    }

    // No message is accepted any more; complete() each of those who waited.
    waiting* close() noexcept
    {
        const std::lock_guard guard(lock_);
        closed_ = true;
        for (waiting* each = first_waiting_; each; each = each->next_)
            each->link_ = nullptr;
        last_waiting_ = &first_waiting_;
        return std::exchange(first_waiting_, nullptr);
    }

private:
    // Under the lock. In a large mailbox, what the reader holds is told every 32 messages, so the
    // count may be off by that much; in a small one it is exact.
    bool has_room() const noexcept
    {
        return far_.size() + held_.load(std::memory_order_relaxed) < capacity_;
    }
    bool note_arrival() noexcept
    {
        arrivals_.store(true, std::memory_order_relaxed);
        return asleep_.load(std::memory_order_relaxed) && claim_wake();
    }
    std::size_t swap_in() noexcept
    {
        if (far_.empty()) {
            held_.store(0, std::memory_order_relaxed); // near_ is empty too
            return 0;
        }
        near_.swap(far_);
        arrivals_.store(false, std::memory_order_relaxed);
        held_.store(near_.size(), std::memory_order_relaxed);
        far_peak_ = std::max(far_peak_, near_.size());
        return near_.size();
    }
    void unlink(waiting& sender) noexcept
    {
        *sender.link_ = sender.next_;
        (sender.next_ ? sender.next_->link_ : last_waiting_) = sender.link_;
        sender.link_ = nullptr;
    }

    // Leaves room for one more, or for `enough` in all. What it moved from goes to `outgrown`.
    static void grow(std::vector<Any>& queue, std::vector<Any>& outgrown, std::size_t enough = 0)
    {
        if (queue.size() < queue.capacity() && enough <= queue.capacity())
            return;
        outgrown.reserve(std::max({std::size_t{8}, queue.capacity() * 2, enough}));
        for (Any& each : queue)
            outgrown.push_back(std::move(each));
        outgrown.swap(queue);
    }

    // The reader is behind: forgets what it has taken, and grows if that is not much.
    void make_space_near()
    {
        std::vector<Any> old(std::move(near_));
        near_ = std::move(spent_);
        const bool behind = next_ < old.size() / 2;
        const std::size_t held = old.size() - next_;
        const std::size_t enough =
            senders_wait_.load(std::memory_order_relaxed) ? held + capacity_ : held + 1;
        near_.reserve(
            std::max({std::size_t{8}, behind ? old.capacity() * 2 : old.capacity(), enough}));
        for (std::size_t i = std::exchange(next_, 0); i < old.size(); ++i)
            near_.push_back(std::move(old[i]));
        retire(old);
    }

    void clear_near()
    {
        next_ = 0;
        if constexpr (std::is_trivially_destructible_v<Any>)
            near_.clear();
        else if (!near_.empty()) {
            std::vector<Any> old(std::move(near_));
            near_ = std::move(spent_);
            retire(old);
        }
    }

    // Destroys messages and keeps their storage. Their destructors may come back here.
    void retire(std::vector<Any>& old)
    {
        old.clear();
        if (spent_.capacity() < old.capacity())
            spent_.swap(old);
    }

    void publish(std::size_t position) noexcept
    {
        if ((position & publish_mask_) != 0)
            return;
        held_.store(near_.size() - next_, std::memory_order_relaxed);
    }

    const std::size_t capacity_;
    const std::size_t publish_mask_;

    // Writers and reader on lines of their own: by distance, because an aligned allocation costs
    // more than the rest of spawning an actor's mailbox.
    std::byte before_writers_[64];
    mutable short_lock lock_;
    bool closed_ = false;
    std::atomic<bool> arrivals_{false}; // is far_ worth a look? The reader asks without the lock
    std::atomic<bool> asleep_{false};   // set under the lock, claimed by whoever wakes the reader
    std::vector<Any> far_;
    std::size_t far_peak_ = 0;
    waiting* first_waiting_ = nullptr;
    waiting** last_waiting_ = &first_waiting_;

    std::byte before_reader_[64];
    std::vector<Any> near_;
    std::size_t next_ = 0;
    std::vector<Any> spent_;
    bool near_open_ = false;
    std::atomic<std::size_t> held_{0};
    std::atomic<std::size_t> near_peak_{0};
    std::atomic<bool> senders_wait_{false};
};

}
