#include <cuebox/outbox/statements.hpp>
#include <cuebox/outbox/waker.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <vector>

namespace cuebox::outbox {

namespace asio = boost::asio;

namespace {

// Between attempts while the database is away.
constexpr std::chrono::seconds retry_after{1};

}

struct waker::state
{
    std::chrono::milliseconds interval;
    std::atomic<std::uint64_t> asked{0};
    std::atomic<std::uint64_t> sent{0};

    std::mutex mutex;
    std::vector<std::string> due;                // Channels, each once.
    std::optional<asio::any_io_executor> runner; // Where run() sleeps, while it does.
    asio::steady_timer* sleeper = nullptr;

    bool add(std::string_view channel)
    {
        if (std::ranges::find(due, channel) != due.end())
            return false;
        due.emplace_back(channel);
        return true;
    }
};

waker::waker(pg::pool& pool, std::chrono::milliseconds interval)
    : pool_(pool),
      state_(std::make_shared<state>())
{
    state_->interval = interval;
}

void waker::wake(std::string_view channel)
{
    state_->asked.fetch_add(1, std::memory_order_relaxed);
    const std::lock_guard lock(state_->mutex);
    const bool first = state_->due.empty();
    if (!state_->add(channel) || !first || !state_->runner)
        return;
    asio::post(*state_->runner, [shared = state_] {
        const std::lock_guard inner(shared->mutex);
        if (shared->sleeper)
            shared->sleeper->cancel();
    });
}

// Where run() is while it waits for something to do: on its way out nobody may touch the timer.
class waker::doze
{
public:
    doze(std::shared_ptr<state> in, asio::steady_timer& timer) : in_(std::move(in))
    {
        const std::lock_guard lock(in_->mutex);
        in_->sleeper = &timer;
        in_->runner = timer.get_executor();
    }
    ~doze()
    {
        const std::lock_guard lock(in_->mutex);
        in_->sleeper = nullptr;
        in_->runner.reset();
    }
    doze(const doze&) = delete;
    doze& operator=(const doze&) = delete;

    bool idle() const
    {
        const std::lock_guard lock(in_->mutex);
        return in_->due.empty();
    }

private:
    std::shared_ptr<state> in_;
};

pg::awaitable<bool> waker::send(std::vector<std::string> channels)
{
    try {
        auto connection = co_await pool_.borrow();
        co_await connection->execute(wake_at_once, channels);
    }
    catch (const pg::error&) {
        co_return false;
    }
    state_->sent.fetch_add(1, std::memory_order_relaxed);
    co_return true;
}

pg::awaitable<void> waker::run()
{
    const auto shared = state_;
    asio::steady_timer timer(co_await asio::this_coro::executor);
    for (;;) {
        {
            const doze dozing(shared, timer);
            timer.expires_at(asio::steady_timer::time_point::max());
            while (dozing.idle()) {
                co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
                const auto cancelled = co_await asio::this_coro::cancellation_state;
                if (cancelled.cancelled() != asio::cancellation_type::none)
                    throw boost::system::system_error(asio::error::operation_aborted);
            }
        }
        std::vector<std::string> channels;
        {
            const std::lock_guard lock(shared->mutex);
            channels.swap(shared->due);
        }
        const bool sent = co_await send(channels);
        if (!sent) {
            const std::lock_guard lock(shared->mutex);
            for (const std::string& each : channels)
                shared->add(each);
        }
        timer.expires_after(sent ? std::chrono::milliseconds(shared->interval)
                                 : std::chrono::milliseconds(retry_after));
        co_await timer.async_wait(asio::use_awaitable);
    }
}

std::uint64_t waker::sent() const noexcept
{
    return state_->sent.load(std::memory_order_relaxed);
}

std::uint64_t waker::asked() const noexcept
{
    return state_->asked.load(std::memory_order_relaxed);
}

}
