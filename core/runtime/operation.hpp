#pragma once

#include <cuebox/runtime/awaitable.hpp>

#include <boost/asio/async_result.hpp>

#include <utility>

namespace cuebox::detail {

// What an actor awaits: an Asio operation whose state lives in the object itself, which the
// awaiting coroutine's frame keeps in place until it is resumed. So it can be awaited, and nothing
// else, and does nothing until it is: each Op is [[nodiscard]], as asio::awaitable is.
// Op::start(handler) begins it; the handler takes Signature's arguments.
template <class Op, class Signature>
class operation
{
public:
    template <asio::completion_token_for<Signature> Token>
    auto operator()(Token&& token)
    {
        return asio::async_initiate<Token, Signature>(
            [](auto handler, Op* op) { op->start(std::move(handler)); }, token,
            static_cast<Op*>(this));
    }
};

}
