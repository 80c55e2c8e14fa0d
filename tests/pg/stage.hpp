#pragma once

#include <cuebox/pg/awaitable.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/system/system_error.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>
#include <variant>

namespace cuebox::pg::test {

// A coroutine under way, which the test can cancel.
template <class T>
class task
{
public:
    bool done() const { return shared_->done; }
    void cancel() { shared_->signal.emit(asio::cancellation_type::terminal); }

private:
    friend class stage;
    using value = std::conditional_t<std::is_void_v<T>, std::monostate, T>;

    struct shared
    {
        asio::cancellation_signal signal{};
        std::optional<value> result{};
        std::exception_ptr failure{};
        bool done = false;
    };
    std::shared_ptr<shared> shared_ = std::make_shared<shared>();
};

// Runs coroutines on this thread, on a context of its own. A test that hangs fails.
class stage
{
public:
    template <class T>
    task<T> start(awaitable<T> work)
    {
        task<T> started;
        const auto shared = started.shared_;
        asio::co_spawn(context_, keep<T>(std::move(work), shared),
                       asio::bind_cancellation_slot(shared->signal.slot(),
                                                    [shared](std::exception_ptr failure) {
                                                        shared->failure = failure;
                                                        shared->done = true;
                                                    }));
        return started;
    }

    // To its end; throws what it threw.
    template <class T>
    T finish(const task<T>& started)
    {
        until([&started] { return started.done(); });
        if (started.shared_->failure)
            std::rethrow_exception(started.shared_->failure);
        if constexpr (!std::is_void_v<T>)
            return std::move(*started.shared_->result);
    }

    template <class T>
    T run(awaitable<T> work)
    {
        return finish(start(std::move(work)));
    }

    // Until something has come true.
    template <class Predicate>
    void until(Predicate holds)
    {
        context_.restart();
        while (!holds())
            if (context_.run_one_for(std::chrono::seconds(60)) == 0)
                throw std::runtime_error("nothing happened for a minute, or nothing is left to do");
    }

    // Whatever can run at once.
    void settle()
    {
        context_.restart();
        context_.poll();
    }

    asio::io_context& context() { return context_; }

private:
    template <class T>
    static awaitable<void> keep(awaitable<T> work, std::shared_ptr<typename task<T>::shared> into)
    {
        if constexpr (std::is_void_v<T>) {
            co_await std::move(work);
        }
        else {
            T result = co_await std::move(work);
            into->result.emplace(std::move(result));
        }
    }

    asio::io_context context_{1};
};

// Whether the action was cancelled, as Asio says it.
template <class Action>
bool cancelled(Action action)
{
    try {
        action();
    }
    catch (const boost::system::system_error& failure) {
        return failure.code() == asio::error::operation_aborted;
    }
    return false;
}

}
