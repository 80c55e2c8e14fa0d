#pragma once

#include <cuebox/runtime/awaitable.hpp>

#include <exception>
#include <memory>

namespace cuebox {

// Coroutines that belong together and are joined together. A scope lives on one sequential
// executor, on which its coroutines run too; dropping it while one of them is alive is an
// assertion.
//
//     cuebox::scope work{co_await asio::this_coro::executor};
//     work.spawn(fetch(a));
//     work.spawn(fetch(b));
//     co_await work.join();
class scope
{
public:
    explicit scope(asio::any_io_executor executor);
    ~scope();
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

    void spawn(awaitable<void> work);

    // Asks every coroutine of the scope to end: what it awaits is cancelled.
    void cancel();

    // Waits until all have ended, also when the waiting coroutine is cancelled: then it cancels
    // them and goes on waiting. Throws the first failure; cancelled coroutines are not failures.
    awaitable<void> join();

    std::size_t alive() const noexcept;

private:
    struct state;
    std::shared_ptr<state> state_;
};

}
