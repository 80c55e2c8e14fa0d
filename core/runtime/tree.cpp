#include <cuebox/runtime/contract.hpp>
#include <cuebox/runtime/tree.hpp>

#include <boost/asio/deferred.hpp>

#include <condition_variable>
#include <mutex>

namespace cuebox {

// Where the end of the tree meets those who wait for it, in coroutines and in threads.
struct tree::ending
{
    using handler = std::unique_ptr<detail::resumption<exit_reason>>;

    void set(const exit_reason& how)
    {
        std::vector<handler> due;
        {
            const std::lock_guard guard(lock);
            reason = how;
            due.swap(waiting);
        }
        changed.notify_all();
        for (handler& each : due)
            each->post(how);
    }

    void wait(handler waiter)
    {
        exit_reason how;
        {
            const std::lock_guard guard(lock);
            if (!reason) {
                waiting.push_back(std::move(waiter));
                return;
            }
            how = *reason;
        }
        waiter->post(how);
    }

    std::mutex lock;
    std::condition_variable changed;
    std::optional<exit_reason> reason;
    std::vector<handler> waiting;
};

tree::tree(loop& home, const std::string& name, const supervisor_options& options)
    : supervisor(new detail::supervisor_cell(name, nullptr, home, options)),
      ending_(std::make_shared<ending>())
{
    cell_->when_closed([where = ending_](const exit_reason& reason) { where->set(reason); });
}

tree::~tree()
{
    if (!started_)
        cell_->close({});
    CUEBOX_ASSERT(has_ended(), "a tree was destroyed while it runs: stop it and wait for its end");
}

void tree::start()
{
    if (!started_.exchange(true))
        cell_->launch();
}

void tree::stop()
{
    if (started_)
        cell_->request_stop(true);
}

awaitable<exit_reason> tree::ended() const
{
    auto where = ending_;
    auto end = asio::async_initiate<const asio::deferred_t&, void(exit_reason)>(
        [where](auto handler) {
            auto waiter = std::make_unique<detail::resumption<exit_reason>>();
            waiter->set(std::move(handler));
            where->wait(std::move(waiter));
        },
        asio::deferred);
    exit_reason reason = co_await std::move(end);
    co_return reason;
}

exit_reason tree::wait() const
{
    std::unique_lock guard(ending_->lock);
    ending_->changed.wait(guard, [this] { return ending_->reason.has_value(); });
    return *ending_->reason;
}

}
