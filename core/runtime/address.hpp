#pragma once

#include <cuebox/runtime/send_op.hpp>

#include <concepts>

namespace cuebox {

namespace detail {
struct access;
}

// How others reach an actor that takes the messages of Set: cheap to copy, usable from any thread,
// valid over restarts, and safe to keep after the actor has ended, when every send answers `gone`.
template <class Set>
class address
{
public:
    // An address of nobody: every send answers `gone`.
    address() = default;

    // Gives the message back (leaves it where it was) unless it answers `accepted`.
    template <sendable_to<Set> M>
    [[nodiscard]] sent try_send(M&& message) const
    {
        return box_ ? box_->push(std::forward<M>(message)) : sent::gone;
    }

    // co_await it: waits for room, and answers `accepted` or `gone`. Any coroutine, actor or not.
    template <sendable_to<Set> M>
    [[nodiscard]] auto send(M&& message) const
    {
        using kind = std::remove_cvref_t<M>;
        return detail::send_op<Set, kind>(box_.get(), std::forward<M>(message));
    }

    // The actor's place in its tree, such as "app/pool/worker-1".
    std::string path() const { return box_ ? box_->path() : std::string("(nobody)"); }

    explicit operator bool() const noexcept { return box_ && box_->state() != actor_state::ended; }

    friend bool operator==(const address&, const address&) = default;
    friend bool operator==(const address& a, const exited& news) noexcept
    {
        return a.box_.get() == news.who.get();
    }

private:
    friend struct detail::access;
    explicit address(boost::intrusive_ptr<detail::mailbox<Set>> box) noexcept : box_(std::move(box))
    {}

    boost::intrusive_ptr<detail::mailbox<Set>> box_;
};

namespace detail {

// The runtime's own way in and out of an address.
struct access
{
    template <class Set>
    static address<Set> make(boost::intrusive_ptr<mailbox<Set>> box) noexcept
    {
        return address<Set>(std::move(box));
    }
    template <class Set>
    static const boost::intrusive_ptr<mailbox<Set>>& box(const address<Set>& whom) noexcept
    {
        return whom.box_;
    }
};

}

}
