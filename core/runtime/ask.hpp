#pragma once

#include <cuebox/runtime/address.hpp>

namespace cuebox {

namespace detail {

template <class R>
class [[nodiscard]] await_reply
    : public operation<await_reply<R>,
                       void(boost::system::error_code, typename reply_slot<R>::outcome)>
{
public:
    await_reply(reply_slot<R>& slot, time_point deadline) noexcept
        : slot_(slot),
          deadline_(deadline)
    {}

    template <class Handler>
    void start(Handler handler)
    {
        slot_.wait(deadline_, std::move(handler));
    }

private:
    reply_slot<R>& slot_;
    time_point deadline_;
};

// The asker's hold on the slot, whichever way the asking coroutine ends.
template <class R>
struct asker
{
    ~asker() { waited ? slot->release() : slot->abandon(); }
    reply_slot<R>* slot;
    bool waited = false;
};

template <class R>
using answer_type = std::conditional_t<std::is_void_v<R>, std::monostate, R>;

}

// Asks and waits for the answer, at most `deadline` long; throws ask_error otherwise. `home` is the
// loop on whose executor the caller runs. A full mailbox is waited for too.
template <class Set, askable_of<Set> M>
awaitable<typename M::reply> ask(loop& home, address<Set> whom, M message, duration deadline)
{
    using answer = detail::answer_type<typename M::reply>;

    const auto& box = detail::access::box(whom);
    if (!box)
        throw ask_error(ask_failure::stopped, whom.path());

    const time_point due = home.after(deadline);
    detail::asker<answer> asker{detail::reply_slot<answer>::make(home)};
    request<M> asked{std::move(message), reply_to<typename M::reply>(asker.slot)};
    sent outcome = box->push_request(std::move(asked));
    if (outcome == sent::full) {
        detail::send_op<Set, request<M>> wait_for_room(box.get(), std::move(asked), &home, due);
        outcome = co_await std::move(wait_for_room);
        if (outcome == sent::full)
            throw ask_error(ask_failure::timed_out, whom.path());
    }
    if (outcome == sent::gone)
        throw ask_error(ask_failure::stopped, whom.path());

    detail::await_reply<answer> reply(*asker.slot, due);
    asker.waited = true;
    std::variant<answer, ask_failure> result = co_await std::move(reply);
    if (const ask_failure* failure = std::get_if<ask_failure>(&result))
        throw ask_error(*failure, whom.path());
    if constexpr (!std::is_void_v<typename M::reply>)
        co_return std::get<0>(std::move(result));
}

}
