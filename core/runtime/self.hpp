#pragma once

#include <cuebox/runtime/actor_frame.hpp>
#include <cuebox/runtime/ask.hpp>

namespace cuebox {

namespace detail {
template <class Actor, class... Args>
class actor_of;
}

// What an actor sees of itself: its mailbox, its timers, its children. Only for the actor's own
// coroutine, on its own loop.
template <class Set>
class self
{
public:
    using any = typename Set::any;

    explicit self(detail::mailbox<Set>& box) noexcept : box_(box) {}
    self(const self&) = delete;
    self& operator=(const self&) = delete;

    // The next message, or nothing once the actor was asked to stop: then return.
    //
    //     while (auto message = co_await me.receive())
    //         std::visit(…, *message);
    [[nodiscard]] auto receive() noexcept
    {
        return typename detail::mailbox<Set>::receive_op(box_);
    }

    // What is queued already, without waiting; also after a stop, for an actor that empties its
    // mailbox before it goes.
    std::optional<any> try_receive() { return box_.try_receive(); }

    // True from the moment the actor was asked to stop.
    bool stopping() const noexcept { return box_.stopping(); }

    cuebox::address<Set> address() const noexcept
    {
        return detail::access::make(boost::intrusive_ptr<detail::mailbox<Set>>(&box_));
    }
    std::string path() const { return box_.path(); }
    cuebox::loop& loop() const noexcept { return box_.home(); }
    time_point now() const noexcept { return box_.home().now(); }

    // co_await it: true when the time has passed, false as soon as the actor is asked to stop.
    [[nodiscard]] auto sleep(duration at_most) noexcept
    {
        return detail::actor_cell::sleep_op(box_, at_most);
    }

    // co_await it: the answer, or ask_error.
    template <class Other, askable_of<Other> M>
    [[nodiscard]] auto ask(cuebox::address<Other> whom, M message, duration deadline)
    {
        return cuebox::ask(box_.home(), std::move(whom), std::move(message), deadline);
    }

    // Brings a message of the actor's own back to it later, once or again and again. It does not
    // wait for room in the mailbox and does not outlive the actor's present life.
    template <sendable_to<Set> M>
    std::uint64_t after(duration in, M message)
    {
        return box_.set_alarm(std::make_unique<message_alarm<M>>(box_, std::move(message)), in);
    }
    template <sendable_to<Set> M>
        requires std::copyable<M>
    std::uint64_t every(duration period, M message)
    {
        auto alarm = std::make_unique<message_alarm<M>>(box_, std::move(message));
        alarm->period = period;
        return box_.set_alarm(std::move(alarm), period);
    }
    void cancel(std::uint64_t timer) noexcept { box_.cancel_alarm(timer); }

    // An `exited` arrives when the other has ended for good; at once if it already has.
    template <class Other>
    void watch(const cuebox::address<Other>& whom)
    {
        static_assert(Set::template contains<exited>,
                      "an actor that watches another lists cuebox::exited among its messages");
        if (const auto& box = detail::access::box(whom))
            box->add_watcher(box_);
    }

    // Starts a child, which is stopped when this actor ends. When a child ends an `exited` arrives;
    // an actor that does not list it among its messages fails when a child fails.
    template <class Actor, class... Args>
    auto spawn(const std::string& name, child_options options, Args&&... args);
    template <class Actor, class... Args>
    auto spawn(const std::string& name, Args&&... args)
    {
        return spawn<Actor>(name, child_options{}, std::forward<Args>(args)...);
    }

private:
    template <class M>
    struct message_alarm final : detail::actor_cell::alarm
    {
        message_alarm(detail::mailbox<Set>& box_, M message_)
            : alarm(box_),
              box(box_),
              message(std::move(message_))
        {}
        void ring() override
        {
            if constexpr (std::copyable<M>)
                box.deliver_urgently(any(std::in_place_type<M>, message), this->id);
            else
                box.deliver_urgently(any(std::in_place_type<M>, std::move(message)), this->id);
        }
        detail::mailbox<Set>& box;
        M message;
    };

    detail::mailbox<Set>& box_;
};

}
