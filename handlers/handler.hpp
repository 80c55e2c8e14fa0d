#pragma once

#include <cuebox/handlers/delivery.hpp>
#include <cuebox/handling/handler.hpp>

#include <concepts>
#include <type_traits>
#include <utility>

namespace cuebox {

// A handler is anything that can be called like one of these; which one picks the delivery.
//
//     awaitable<void> f(delivery<T>, pg::transaction&)   transactional: exactly once, in the
//     database awaitable<void> f(delivery<T>)                     leased: at least once, anywhere
template <class F, class T>
concept transactional_handler =
    std::copy_constructible<F> && requires(const F& f, delivery<T> event, pg::transaction& work) {
        {
            f(std::move(event), work)
        } -> std::same_as<awaitable<void>>;
    };

template <class F, class T>
concept leased_handler = std::copy_constructible<F> && requires(const F& f, delivery<T> event) {
    {
        f(std::move(event))
    } -> std::same_as<awaitable<void>>;
};

template <class F, class T>
concept handler_of = transactional_handler<F, T> || leased_handler<F, T>;

struct handler_options
{
    retry_policy retry{};
    // How long it may run before it is cancelled and tried again; zero is as long as it likes.
    duration timeout{};
    // Errors of its own for which trying again is pointless.
    std::function<bool(const std::exception&)> terminal{};
    // It knows by itself what is done, and wants no dedup records: every event reaches it, also one
    // whose key it has had. For leased handlers, and one for each type of event.
    bool own_gate = false;
};

namespace detail {

// Whether it is known to take the event by value, and so keeps it for as long as it runs.
template <class F>
inline constexpr bool takes_by_value = false;
template <class Result, class Event, class... More>
inline constexpr bool takes_by_value<Result (*)(Event, More...)> = !std::is_reference_v<Event>;
template <class Result, class C, class Event, class... More>
inline constexpr bool takes_by_value<Result (C::*)(Event, More...) const> =
    !std::is_reference_v<Event>;
template <class F>
    requires requires { &F::operator(); }
inline constexpr bool takes_by_value<F> = takes_by_value<decltype(&F::operator())>;

// For the others: the event lives in this frame.
template <class F, class Event, class... More>
awaitable<void> keep_and_call(F f, Event event, More&... more)
{
    co_await f(std::move(event), more...);
}

template <class F, class Event, class... More>
awaitable<void> call(const F& f, Event event, More&... more)
{
    if constexpr (takes_by_value<F>)
        return f(std::move(event), more...);
    else
        return keep_and_call(f, std::move(event), more...);
}

}

// A handler for events of type T, or, with raw_payload, of the types that are named. The payload is
// decoded in the call, so that what is wrong with it is the handler's error.
template <class T, handler_of<T> F>
handling::handler make_handler(std::string name, std::vector<std::string> event_types, F f,
                               handler_options options = {})
{
    handling::handler made{.name = std::move(name),
                           .event_types = std::move(event_types),
                           .call = {},
                           .retry = options.retry,
                           .timeout = options.timeout,
                           .terminal = std::move(options.terminal),
                           .own_gate = options.own_gate};
    if constexpr (transactional_handler<F, T>)
        made.call = [f = std::move(f)](handling::arrival&& arrived, pg::transaction& work) {
            return detail::call(f, delivery<T>(std::move(arrived)), work);
        };
    else
        made.call = [f = std::move(f)](handling::arrival&& arrived) {
            return detail::call(f, delivery<T>(std::move(arrived)));
        };
    return made;
}

template <event::typed_payload T, handler_of<T> F>
handling::handler make_handler(std::string name, F f, handler_options options = {})
{
    return make_handler<T>(std::move(name), {std::string(T::event_type)}, std::move(f),
                           std::move(options));
}

}
