#pragma once

#include <cuebox/runtime/awaitable.hpp>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/execution/outstanding_work.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/prefer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <concepts>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>
#include <variant>

namespace cuebox {

// Threads for code that blocks or computes. A coroutine awaits it, and its own thread goes on with
// everything else meanwhile.
//
//     cuebox::offload_pool pool{4};
//     const auto page = co_await pool.run([&](std::stop_token stop) { return render(order, stop);
//     });
class offload_pool
{
public:
    // They are started when the first of them is needed.
    explicit offload_pool(std::size_t threads);
    // Waits for what runs.
    ~offload_pool();
    offload_pool(const offload_pool&) = delete;
    offload_pool& operator=(const offload_pool&) = delete;

    template <class Work>
    static constexpr bool heeds_stop = std::invocable<Work&, std::stop_token>;

    // Gives what `work` returns, throws what it throws. It may take a std::stop_token, of which a
    // stop is requested when the coroutine is cancelled. Cancelled or not, the wait ends when
    // `work` has returned and not before, so it may use what the coroutine owns. A cancelled one
    // then throws operation_aborted, whatever `work` has made of it: half a result is none. From
    // any thread.
    template <class Work>
        requires(std::invocable<Work&> || heeds_stop<Work>)
    [[nodiscard]] auto run(Work work)
    {
        using result = decltype(call(work, {}));
        return run_as<result>(std::move(work));
    }

private:
    template <class Work>
    static auto call(Work& work, std::stop_token stop)
    {
        if constexpr (heeds_stop<Work>)
            return std::invoke(work, std::move(stop));
        else
            return std::invoke(work);
    }

    template <class Result, class Work>
    awaitable<Result> run_as(Work work)
    {
        std::optional<std::conditional_t<std::is_void_v<Result>, std::monostate, Result>> value;
        std::exception_ptr thrown;
        std::stop_source stop;
        const std::function<void()> job = [&] {
            try {
                if constexpr (std::is_void_v<Result>) {
                    call(work, stop.get_token());
                    value.emplace();
                }
                else {
                    value.emplace(call(work, stop.get_token()));
                }
            }
            catch (...) {
                thrown = std::current_exception();
            }
        };
        co_await wait_for(job, stop);
        if (stop.stop_requested())
            throw_cancelled();
        if (thrown)
            std::rethrow_exception(thrown);
        if constexpr (!std::is_void_v<Result>)
            co_return std::move(*value);
    }

    [[noreturn]] static void throw_cancelled();
    // Until the job has run; the caller keeps both until then.
    awaitable<void> wait_for(const std::function<void()>& job, std::stop_source& stop);

    struct threads;
    std::shared_ptr<threads> threads_;
};

}
