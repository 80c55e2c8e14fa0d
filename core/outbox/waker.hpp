#pragma once

#include <cuebox/pg/pool.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::outbox {

// Wakes the listeners of channels on behalf of quiet publishers: at once when it has been calm, and
// then at most once per interval, however many ask. A NOTIFY in the publisher's own transaction
// would queue its commit behind every other one in the cluster that notifies.
//
// A wake that is lost, with this process or with the server, costs at most one safety poll.
class waker
{
public:
    // The pool must outlive run().
    explicit waker(pg::pool& pool,
                   std::chrono::milliseconds interval = std::chrono::milliseconds(5));
    waker(const waker&) = delete;
    waker& operator=(const waker&) = delete;

    // From any thread, after the commit: nothing waits.
    void wake(std::string_view channel);

    // Sends what is asked for, until it is cancelled. Run it once, in a scope, on the pool's
    // executor. While the database is away it keeps what is due, and tries again.
    pg::awaitable<void> run();

    // Statements sent so far, and wakes asked for.
    std::uint64_t sent() const noexcept;
    std::uint64_t asked() const noexcept;

private:
    struct state;
    class doze;

    // Whether the server took it.
    pg::awaitable<bool> send(std::vector<std::string> channels);

    pg::pool& pool_;
    std::shared_ptr<state> state_;
};

}
