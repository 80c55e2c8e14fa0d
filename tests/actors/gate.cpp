#include "gate.hpp"

#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <utility>

namespace cuebox::actors::test {

void gate::open()
{
    closed_ = false;
    for (const auto& each : std::exchange(bells_, {}))
        each->cancel();
}

awaitable<void> gate::pass()
{
    if (!closed_)
        co_return;
    const auto executor = co_await asio::this_coro::executor;
    const auto bell =
        std::make_shared<asio::steady_timer>(executor, asio::steady_timer::time_point::max());
    bells_.push_back(bell);
    boost::system::error_code woken;
    co_await bell->async_wait(asio::redirect_error(asio::use_awaitable, woken));
    // Still there: it was not the gate that was opened.
    if (std::erase(bells_, bell) > 0)
        throw boost::system::system_error(asio::error::operation_aborted, "gate");
}

}
