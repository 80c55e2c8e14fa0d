#include <cuebox/runtime/offload.hpp>

#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <mutex>

namespace cuebox {

struct offload_pool::threads
{
    explicit threads(std::size_t how_many) : count(std::max<std::size_t>(how_many, 1)) {}

    asio::thread_pool& get()
    {
        std::call_once(once, [this] { pool.emplace(count); });
        return *pool;
    }

    std::size_t count;
    std::once_flag once;
    std::optional<asio::thread_pool> pool;
};

offload_pool::offload_pool(std::size_t how_many) : threads_(std::make_shared<threads>(how_many)) {}

offload_pool::~offload_pool()
{
    if (threads_->pool)
        threads_->pool->join();
}

void offload_pool::throw_cancelled()
{
    throw boost::system::system_error(asio::error::operation_aborted, "offload");
}

awaitable<void> offload_pool::wait_for(const std::function<void()>& job, std::stop_source& stop)
{
    const auto begin = [](auto handler, asio::thread_pool* pool, const std::function<void()>* what,
                          std::stop_source* stopping) {
        auto cancellation = asio::get_associated_cancellation_slot(handler);
        if (cancellation.is_connected())
            cancellation.assign([stopping](asio::cancellation_type) { stopping->request_stop(); });
        // The coroutine's executor has something to wait for.
        auto home = asio::prefer(asio::get_associated_executor(handler),
                                 asio::execution::outstanding_work.tracked);
        asio::post(*pool, [what, home = std::move(home), handler = std::move(handler)]() mutable {
            (*what)();
            asio::post(home, std::move(handler));
        });
    };
    co_await asio::async_initiate<const asio::use_awaitable_t<>&, void()>(
        begin, asio::use_awaitable, &threads_->get(), &job, &stop);
}

}
