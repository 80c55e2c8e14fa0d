#pragma once

#include <cuebox/runtime/cell.hpp>
#include <cuebox/runtime/request.hpp>

#include <concepts>
#include <string>
#include <type_traits>
#include <variant>

namespace cuebox {

// Delivered to an actor that watches another, or that has children, when that one has ended for
// good. An actor that wants to know lists it among its messages.
struct exited
{
    detail::cell_ptr who;
    exit_reason reason;

    const std::string& path() const noexcept { return who->path(); }
};

// A message of which one waiting is as good as many, such as a wake: `using coalesces = void;`.
template <class M>
concept coalescing = requires { typename M::coalesces; };

// A message that wants an answer: `using reply = int;` (or void). It is sent with ask and arrives
// as a request.
template <class M>
concept asking = requires { typename M::reply; };

namespace detail {

template <class M>
struct arrives_as
{
    using type = M;
};
template <asking M>
struct arrives_as<M>
{
    using type = request<M>;
};

}

// The closed set of messages that an actor takes.
template <class... Ms>
struct messages
{
    static_assert(sizeof...(Ms) > 0, "an actor takes at least one kind of message");
    static_assert(sizeof...(Ms) <= 32, "a set of messages has at most 32 kinds");

    // What receive() gives: one alternative per message, in the order in which they are listed.
    using any = std::variant<typename detail::arrives_as<Ms>::type...>;

    template <class M>
    static constexpr bool contains = (std::same_as<M, Ms> || ...);

    template <class M>
    static constexpr unsigned index_of = [] {
        unsigned index = 0;
        (void)((std::same_as<M, Ms> ? false : (++index, true)) && ...);
        return index;
    }();
};

// What a full or ended mailbox answers.
enum class sent
{
    accepted, // it is in the mailbox, or one like it already was
    full,     // no room: the message is still the caller's
    gone,     // the actor has ended for good: the message is still the caller's
};

// May M be sent to an actor that takes Set? Compared without references and const.
template <class M, class Set>
concept sendable_to =
    Set::template contains<std::remove_cvref_t<M>> && !asking<std::remove_cvref_t<M>>;

template <class M, class Set>
concept askable_of =
    Set::template contains<std::remove_cvref_t<M>> && asking<std::remove_cvref_t<M>>;

}
