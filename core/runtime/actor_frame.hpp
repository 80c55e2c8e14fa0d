#pragma once

#include <cuebox/runtime/awaitable.hpp>

#include <concepts>
#include <coroutine>
#include <type_traits>
#include <utility>

namespace cuebox {

template <class Set>
class self;

namespace detail {

// An operation that can tell whether it is done already: then awaiting it need not suspend.
template <class Op>
concept ready_at_once = requires(Op& op) {
    {
        op.ready()
    } -> std::same_as<bool>;
    op.take_result();
};

// Awaits an operation, without suspending when it is ready.
template <class Op, class Slow>
class quick_await
{
public:
    quick_await(Op& op, Slow slow) : op_(op), slow_(std::move(slow)) {}

    bool await_ready() { return ready_ = op_.ready(); }
    void await_suspend(std::coroutine_handle<> frame) { slow_.await_suspend(frame); }
    auto await_resume()
    {
        if (ready_)
            return op_.take_result();
        return slow_.await_resume();
    }

private:
    Op& op_;
    Slow slow_;
    bool ready_ = false;
};

// A suspended actor coroutine as Asio's handlers hold it, without a handler's arguments: what it
// waited for is fetched by the coroutine itself once it runs again.
class parked : public asio::detail::awaitable_thread<asio::any_io_executor>
{
    using frame = asio::detail::awaitable_frame_base<asio::any_io_executor>;

public:
    explicit parked(frame& suspended)
        : awaitable_thread(std::move(*suspended.detach_thread())),
          frame_(&suspended)
    {}

    void operator()()
    {
        frame_->attach_thread(this);
        frame_->clear_cancellation_slot();
        pump();
    }

private:
    frame* frame_;
};

// An operation that takes the coroutine itself to park, and has its result ready when it resumes
// it.
template <class Op>
concept parking = ready_at_once<Op> && requires(Op& op, parked coroutine) {
    op.park(std::move(coroutine));
    op.finish();
};

template <class Op, class Frame>
class parking_await
{
public:
    parking_await(Op& op, Frame& frame) : op_(op), frame_(frame) {}

    bool await_ready() { return ready_ = op_.ready(); }
    void await_suspend(std::coroutine_handle<>)
    {
        // Only once it is really suspended: it may be resumed, and even end, before this returns.
        frame_.after_suspend(
            [](void* self) {
                auto* waiting = static_cast<parking_await*>(self);
                waiting->op_.park(parked(waiting->frame_));
            },
            this);
    }
    auto await_resume() { return ready_ ? op_.take_result() : op_.finish(); }

private:
    Op& op_;
    Frame& frame_;
    bool ready_ = false;
};

// Awaits another coroutine. Asio's awaitable wants to know its caller by the type of its own frame.
template <class U, class Frame>
class nested_await
{
public:
    explicit nested_await(awaitable<U> callee) : callee_(std::move(callee)) {}

    bool await_ready() const noexcept { return false; }
    template <class Caller>
    void await_suspend(std::coroutine_handle<Caller> caller)
    {
        Frame& frame = caller.promise();
        callee_.await_suspend(std::coroutine_handle<Frame>::from_promise(frame));
    }
    U await_resume() { return callee_.await_resume(); }

private:
    awaitable<U> callee_;
};

template <class T>
struct awaitable_value
{};
template <class U>
struct awaitable_value<awaitable<U>>
{
    using type = U;
};

// Asio's coroutine frame with one thing added. In Asio every await suspends, also one whose result
// is there already, and that costs four times as much as taking a message from a mailbox. A
// coroutine that has an actor's self among its first parameters gets this frame instead (see
// coroutine_traits below); every other coroutine gets Asio's own and works the same, only slower.
template <class T>
class actor_frame : public asio::detail::awaitable_frame<T, asio::any_io_executor>
{
    using base = asio::detail::awaitable_frame<T, asio::any_io_executor>;

public:
    auto get_return_object()
    {
        auto coroutine = base::get_return_object();
        this->coro_ = std::coroutine_handle<actor_frame>::from_promise(*this);
        return coroutine;
    }

    template <class Awaited>
    auto await_transform(Awaited&& awaited)
    {
        using op = std::remove_reference_t<Awaited>;
        if constexpr (parking<op>) {
            (void)base::await_transform(std::move(awaited)); // throws when cancelled
            return parking_await<op, actor_frame>(awaited, *this);
        }
        else if constexpr (ready_at_once<op>) {
            auto slow = base::await_transform(std::move(awaited)); // throws when cancelled
            return quick_await<op, decltype(slow)>(awaited, std::move(slow));
        }
        else if constexpr (requires { typename awaitable_value<Awaited>::type; })
            return nested_await<typename awaitable_value<Awaited>::type, base>(
                base::await_transform(std::move(awaited)));
        else
            return base::await_transform(std::forward<Awaited>(awaited));
    }
};

template <class T>
inline constexpr bool is_self = false;
template <class Set>
inline constexpr bool is_self<self<Set>> = true;

}

}

template <class T, class Set, class... Rest>
struct std::coroutine_traits<boost::asio::awaitable<T>, cuebox::self<Set>&, Rest...>
{
    using promise_type = cuebox::detail::actor_frame<T>;
};

template <class T, class Class, class Set, class... Rest>
    requires(!cuebox::detail::is_self<Class>)
struct std::coroutine_traits<boost::asio::awaitable<T>, Class&, cuebox::self<Set>&, Rest...>
{
    using promise_type = cuebox::detail::actor_frame<T>;
};
