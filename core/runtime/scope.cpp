#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/runtime/contract.hpp>
#include <cuebox/runtime/scope.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <list>

namespace cuebox {

struct scope::state
{
    explicit state(const asio::any_io_executor& executor_)
        : executor(executor_),
          all_ended(executor_, asio::steady_timer::time_point::max())
    {}

    void ended(std::list<asio::cancellation_signal>::iterator signal,
               const std::exception_ptr& error)
    {
        signals.erase(signal);
        if (error && !first_failure && !detail::is_cancellation(error))
            first_failure = error;
        if (signals.empty() && joining)
            all_ended.cancel();
    }

    asio::any_io_executor executor;
    asio::steady_timer all_ended; // never rings: it is cancelled when the last coroutine has ended
    std::list<asio::cancellation_signal> signals; // one per living coroutine
    std::exception_ptr first_failure;
    bool joining = false;
};

scope::scope(asio::any_io_executor executor) : state_(std::make_shared<state>(executor)) {}

scope::~scope()
{
    CUEBOX_ASSERT(state_->signals.empty(),
                  "a scope was dropped while its coroutines are alive: join it");
}

void scope::spawn(awaitable<void> work)
{
    const auto signal = state_->signals.emplace(state_->signals.end());
    asio::co_spawn(state_->executor, std::move(work),
                   asio::bind_cancellation_slot(
                       signal->slot(), [keep = state_, signal](const std::exception_ptr& error) {
                           keep->ended(signal, error);
                       }));
}

void scope::cancel()
{
    // Emitting may end a coroutine, and with it its entry in the list.
    for (auto each = state_->signals.begin(); each != state_->signals.end();) {
        auto& signal = *each++;
        signal.emit(asio::cancellation_type::terminal);
    }
}

awaitable<void> scope::join()
{
    const auto keep = state_;
    // A cancelled join still waits: its coroutines must not outlive it.
    co_await asio::this_coro::throw_if_cancelled(false);
    bool told = false;
    while (!keep->signals.empty()) {
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        if (cancellation.cancelled() != asio::cancellation_type::none && !told) {
            // The state stays as it is: whoever called asks it whether this was a cancellation.
            told = true;
            cancel();
            continue;
        }
        boost::system::error_code woken;
        keep->joining = true;
        co_await keep->all_ended.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }
    if (told)
        throw boost::system::system_error(asio::error::operation_aborted, "scope");
    co_await asio::this_coro::throw_if_cancelled(true);
    if (keep->first_failure)
        std::rethrow_exception(std::exchange(keep->first_failure, nullptr));
}

std::size_t scope::alive() const noexcept
{
    return state_->signals.size();
}

}
