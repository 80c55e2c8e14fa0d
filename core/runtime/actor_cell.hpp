#pragma once

#include <cuebox/runtime/cell.hpp>
#include <cuebox/runtime/operation.hpp>
#include <cuebox/runtime/resumption.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>

#include <exception>
#include <optional>
#include <vector>

namespace cuebox {

struct exited;

namespace detail {

// The life of an actor, whatever its messages: one coroutine, its timers, its children.
class actor_cell : public cell
{
public:
    using cell::cell;

    // The rest belongs to the actor itself, on its loop.
    bool stopping() const noexcept { return stop_requested_; }
    void spawn(cell_ptr child);

    // Waits; false when it ended early because the actor was asked to stop.
    class [[nodiscard]] sleep_op : public operation<sleep_op, void(std::exception_ptr, bool)>,
                                   ready_node,
                                   timer_node
    {
    public:
        sleep_op(actor_cell& owner, duration at_most) noexcept;

        template <class Handler>
        void start(Handler handler)
        {
            auto cancellation = asio::get_associated_cancellation_slot(handler);
            waiting_.set(std::move(handler));
            if (cancellation.is_connected())
                cancellation.assign([this](asio::cancellation_type) { end(ending::cancelled); });
            begin();
        }

    private:
        friend class actor_cell;
        enum class ending
        {
            none,
            elapsed,
            stopped,
            cancelled
        };

        void begin();
        void end(ending how);
        void resume();

        actor_cell& owner_;
        duration at_most_;
        ending ending_ = ending::none;
        resumption<std::exception_ptr, bool> waiting_;
    };

    // A message of the actor's own that comes back to it later.
    struct alarm : timer_node
    {
        explicit alarm(actor_cell& owner_) noexcept;
        virtual ~alarm() = default;
        virtual void ring() = 0;

        actor_cell& owner;
        duration period{};
        std::uint64_t id = 0;
    };

    std::uint64_t set_alarm(std::unique_ptr<alarm> alarm, duration in);
    void cancel_alarm(std::uint64_t id) noexcept;

protected:
    // Builds the actor and returns its coroutine; throws what building it throws.
    virtual awaitable<void> make_life() = 0;
    virtual void bury() noexcept = 0;
    virtual void cancel_reader() = 0;
    virtual bool starts_by_itself() const noexcept = 0;

    // Wakes the actor if it waits for a message, so that it sees what has changed.
    virtual void wake_reader() = 0;
    // False when the actor does not list `exited` among its messages.
    virtual bool deliver(exited&& news) = 0;

    virtual void life_begins() noexcept = 0;
    virtual void life_ends() noexcept = 0;

    void started_by_itself() { life_started(); }

    void begin() final;
    void stop_requested(bool for_good) final;
    void cancel_requested() final;
    void noted(note& note) final;

    // A child failed and the actor does not listen: it fails too, at its next receive.
    std::exception_ptr child_failure_;

    // Most waits are the actor's own, for a message. They need no slot of Asio's, which costs an
    // allocation: when the actor is cancelled, cancel_reader ends them.
    asio::cancellation_slot main_slot_;

private:
    awaitable<void> live(awaitable<void> life);
    void life_over(std::exception_ptr error);
    void finish_life();
    void alarm_due(alarm& due);

    bool stop_requested_ = false;
    bool cancelled_ = false;
    bool alive_ = false; // from begin until the coroutine and all children have ended
    bool over_ = false;  // the coroutine has ended, children have not
    exit_reason ending_;
    asio::cancellation_signal cancellation_;
    std::vector<sleep_op*> sleeping_;
    std::vector<std::unique_ptr<alarm>> alarms_;
    std::uint64_t alarms_set_ = 0;
};

}

}
