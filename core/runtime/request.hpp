#pragma once

#include <cuebox/runtime/reply_slot.hpp>

#include <utility>
#include <variant>

namespace cuebox {

// The asking side's promise in the asked actor's hands: answered once, from any thread, now or
// later. Dropped unanswered, it tells the asker so.
template <class R>
class reply_to
{
public:
    explicit reply_to(detail::reply_slot<R>* slot) noexcept : slot_(slot) {}
    reply_to(reply_to&& other) noexcept : slot_(std::exchange(other.slot_, nullptr)) {}
    reply_to& operator=(reply_to&& other) noexcept
    {
        if (this != &other) {
            fail(ask_failure::unanswered);
            slot_ = std::exchange(other.slot_, nullptr);
        }
        return *this;
    }
    ~reply_to() { fail(ask_failure::unanswered); }

    void operator()(R value)
    {
        if (slot_)
            std::exchange(slot_, nullptr)->answer(std::move(value));
    }

    void fail(ask_failure why) noexcept
    {
        if (slot_)
            std::exchange(slot_, nullptr)->fail(why);
    }

private:
    detail::reply_slot<R>* slot_;
};

template <>
class reply_to<void> : public reply_to<std::monostate>
{
public:
    using reply_to<std::monostate>::reply_to;
    void operator()() { reply_to<std::monostate>::operator()({}); }
};

// A message that was asked, as it arrives.
template <class M>
struct request
{
    M message;
    reply_to<typename M::reply> reply;

    const M* operator->() const noexcept { return &message; }
};

namespace detail {

template <class M>
inline constexpr bool is_request = false;
template <class M>
inline constexpr bool is_request<request<M>> = true;

}

}
