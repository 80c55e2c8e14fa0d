#pragma once

#include <cuebox/handlers/handler.hpp>
#include <cuebox/runtime/ask.hpp>

#include <variant>

namespace cuebox {

// How an actor answers for an event.
struct handled
{};
struct not_handled
{
    std::string reason{};
    // Trying again is pointless.
    bool terminal = false;
    // What dead letters are grouped by.
    std::string error_class = "not_handled";
};

// The message by which an actor gets events of type T; it lists handle<T> among its messages.
//
//     struct ledger {
//         using messages = cuebox::messages<cuebox::handle<order_placed>>;
//         cuebox::awaitable<void> run(cuebox::self<messages>& me)
//         {
//             while (auto message = co_await me.receive()) {
//                 auto& order = std::get<cuebox::request<cuebox::handle<order_placed>>>(*message);
//                 total += order->event->cents;
//                 order.reply(cuebox::handled{});
//             }
//         }
//         std::int64_t total = 0;
//     };
template <class T>
struct handle
{
    using reply = std::variant<handled, not_handled>;

    delivery<T> event;
};

namespace detail {

template <class T, class Set>
awaitable<void> ask_actor(loop& home, address<Set> whom, delivery<T> event, duration within)
{
    handle<T> question{std::move(event)};
    auto answer = co_await ask(home, std::move(whom), std::move(question), within);
    const auto* refused = std::get_if<not_handled>(&answer);
    if (!refused)
        co_return;
    if (refused->terminal)
        throw terminal_error(refused->error_class, refused->reason);
    throw transient_error(refused->error_class, refused->reason);
}

}

// A leased handler that is an actor, with state and children of its own. One that fails while it
// has the event, or does not answer in time, has failed it: the event is tried again. `home` is the
// loop of the context.
template <event::typed_payload T, class Set>
handling::handler make_actor_handler(std::string name, loop& home, address<Set> whom,
                                     handler_options options = {})
{
    const duration within =
        options.timeout > duration{} ? options.timeout : duration(std::chrono::minutes(1));
    auto run = [&home, whom, within](delivery<T> event) {
        return detail::ask_actor<T>(home, whom, std::move(event), within);
    };
    return make_handler<T>(std::move(name), std::move(run), std::move(options));
}

}
