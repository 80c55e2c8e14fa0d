#pragma once

#include <cuebox/runtime/loop.hpp>

#include <boost/asio/execution/blocking.hpp>
#include <boost/asio/execution/context.hpp>
#include <boost/asio/execution_context.hpp>
#include <boost/asio/query.hpp>
#include <boost/asio/require.hpp>

#include <memory>
#include <utility>

namespace cuebox {

// A line of work on a loop, such as that of one worker, which a watchdog on another thread can tell
// from all others: a coroutine is spawned on its executor, and the loop's at_work() is this one
// whenever that coroutine, or what it awaits, has the thread.
class activity : public std::enable_shared_from_this<activity>
{
public:
    class executor_type;

    explicit activity(const loop& on) : inner_(on.executor()), at_work_(on.at_work_) {}
    activity(const activity&) = delete;
    activity& operator=(const activity&) = delete;

    asio::any_io_executor executor();

private:
    // Marks the loop for as long as something runs.
    class turn
    {
    public:
        explicit turn(const activity& whose)
            : slot_(*whose.at_work_),
              outer_(slot_.exchange(&whose, std::memory_order_relaxed))
        {}
        ~turn() { slot_.store(outer_, std::memory_order_relaxed); }
        turn(const turn&) = delete;
        turn& operator=(const turn&) = delete;

    private:
        std::atomic<const activity*>& slot_;
        const activity* outer_;
    };

    asio::any_io_executor inner_;
    // Shared, because an executor may be kept for longer than the loop: by a pooled connection.
    std::shared_ptr<std::atomic<const activity*>> at_work_;
};

// Hands everything to the loop's own executor, and marks it. Small enough for any_io_executor to
// keep in place. It does not track outstanding work: what is awaited counts as work by itself.
class activity::executor_type
{
public:
    explicit executor_type(std::shared_ptr<const activity> whose,
                           bool never_blocks = false) noexcept
        : whose_(std::move(whose)),
          never_blocks_(never_blocks)
    {}

    asio::execution_context& query(asio::execution::context_t) const noexcept
    {
        return asio::query(whose_->inner_, asio::execution::context);
    }
    asio::execution::blocking_t query(asio::execution::blocking_t) const noexcept
    {
        if (never_blocks_)
            return asio::execution::blocking.never;
        return asio::execution::blocking.possibly;
    }
    executor_type require(asio::execution::blocking_t::never_t) const noexcept
    {
        return executor_type(whose_, true);
    }
    executor_type require(asio::execution::blocking_t::possibly_t) const noexcept
    {
        return executor_type(whose_, false);
    }

    template <class Work>
    void execute(Work&& work) const
    {
        // Not a lambda: what it holds may be moved only.
        struct marked
        {
            void operator()()
            {
                const turn mark(*whose);
                std::move(work)();
            }
            std::shared_ptr<const activity> whose;
            std::decay_t<Work> work;
        };
        marked run{whose_, std::forward<Work>(work)};
        if (never_blocks_)
            asio::require(whose_->inner_, asio::execution::blocking.never).execute(std::move(run));
        else
            whose_->inner_.execute(std::move(run));
    }

    friend bool operator==(const executor_type& a, const executor_type& b) noexcept
    {
        return a.whose_ == b.whose_ && a.never_blocks_ == b.never_blocks_;
    }

private:
    std::shared_ptr<const activity> whose_;
    bool never_blocks_;
};

inline asio::any_io_executor activity::executor()
{
    return executor_type(shared_from_this());
}

}
