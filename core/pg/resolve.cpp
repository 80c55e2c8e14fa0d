#include <cuebox/pg/resolve.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <memory>

namespace cuebox::pg::detail {

namespace {

// A look-up cannot be interrupted, so it may end after its waiter has gone.
struct lookup
{
    explicit lookup(const asio::any_io_executor& executor) : resolver(executor), done(executor) {}

    asio::ip::tcp::resolver resolver;
    asio::steady_timer done;
    bool answered = false;
    std::string failure = "its name was not resolved in time";
    std::vector<std::string> addresses;
};

}

awaitable<std::vector<target>> resolve(std::vector<target> targets, clock::time_point deadline,
                                       clock::duration each_within)
{
    const asio::any_io_executor executor = co_await asio::this_coro::executor;
    std::vector<target> resolved;
    for (const target& each : targets) {
        if (!each.needs_lookup()) {
            resolved.push_back(each);
            continue;
        }
        const auto shared = std::make_shared<lookup>(executor);
        shared->done.expires_at(std::min(deadline, clock::now() + each_within));
        shared->resolver.async_resolve(
            each.host, each.port, [shared](boost::system::error_code failed, auto found) {
                shared->answered = true;
                shared->failure = "its name was not resolved: " + failed.message();
                if (!failed)
                    for (const auto& entry : found)
                        shared->addresses.push_back(entry.endpoint().address().to_string());
                shared->done.cancel();
            });
        const auto [ended] = co_await shared->done.async_wait(asio::as_tuple(asio::use_awaitable));
        if (ended && !shared->answered)
            throw boost::system::system_error(ended); // The waiter itself was cancelled.

        if (shared->addresses.empty()) {
            resolved.push_back(each);
            resolved.back().failure = shared->failure;
        }
        for (const std::string& address : shared->addresses)
            resolved.push_back({.host = each.host, .address = address, .port = each.port});
    }
    co_return resolved;
}

}
