#pragma once

#include <cuebox/runtime/self.hpp>

#include <tuple>

namespace cuebox {

// An actor is a class with a closed set of messages and a coroutine that runs until it is asked to
// stop:
//
//     struct counter {
//         using messages = cuebox::messages<add, get_total>;
//         cuebox::awaitable<void> run(cuebox::self<messages>& me);
//     };
//
// It may also have start(me), which the supervisor waits for before it starts the next child, and
// stop(me), which runs after run when the actor was asked to stop.
template <class A>
concept actor = requires(A& a, self<typename A::messages>& me) {
    typename A::messages;
    {
        a.run(me)
    } -> std::same_as<awaitable<void>>;
};

namespace detail {

template <class A>
concept has_start = requires(A& a, self<typename A::messages>& me) {
    {
        a.start(me)
    } -> std::same_as<awaitable<void>>;
};
template <class A>
concept has_stop = requires(A& a, self<typename A::messages>& me) {
    {
        a.stop(me)
    } -> std::same_as<awaitable<void>>;
};

// The cell of an actor of type A, which it builds anew for each life from the same arguments.
template <class A, class... Args>
class actor_of final : public mailbox<typename A::messages>
{
    static_assert(actor<A>,
                  "an actor has a `messages` set and `awaitable<void> run(self<messages>&)`");
    using base = mailbox<typename A::messages>;

public:
    template <class... Given>
    actor_of(const std::string& name, cell* parent, loop& home, const child_options& options,
             Given&&... args)
        : base(name, parent, home, options),
          args_(std::forward<Given>(args)...)
    {}

private:
    awaitable<void> make_life() override
    {
        std::apply([this](const Args&... args) { actor_.emplace(args...); }, args_);
        if constexpr (has_start<A> || has_stop<A>)
            return whole_life(*actor_);
        else
            return actor_->run(me_);
    }

    awaitable<void> whole_life(A& living)
    {
        if constexpr (has_start<A>) {
            co_await living.start(me_);
            this->started_by_itself();
        }
        if (!me_.stopping())
            co_await living.run(me_);
        if constexpr (has_stop<A>)
            if (me_.stopping())
                co_await living.stop(me_);
    }

    void bury() noexcept override { actor_.reset(); }
    bool starts_by_itself() const noexcept override { return has_start<A>; }

    std::string_view kind() const noexcept override
    {
        if constexpr (requires { std::string_view(A::kind); })
            return A::kind;
        else
            return "actor";
    }

    std::tuple<Args...> args_;
    std::optional<A> actor_;
    self<typename A::messages> me_{*this};
};

template <class A, class... Args>
auto make_actor(const std::string& name, cell* parent, loop& home, const child_options& options,
                Args&&... args)
{
    using cell_type = actor_of<A, std::decay_t<Args>...>;
    return boost::intrusive_ptr<cell_type>(new cell_type(
        name, parent, options.loop ? *options.loop : home, options, std::forward<Args>(args)...));
}

}

template <class Set>
template <class Actor, class... Args>
auto self<Set>::spawn(const std::string& name, child_options options, Args&&... args)
{
    auto child =
        detail::make_actor<Actor>(name, &box_, box_.home(), options, std::forward<Args>(args)...);
    auto where = detail::access::make<typename Actor::messages>(child);
    box_.spawn(std::move(child));
    return where;
}

}
