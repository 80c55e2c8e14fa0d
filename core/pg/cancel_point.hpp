#pragma once

#include <cuebox/asio/blocking_threads.hpp>
#include <cuebox/pg/awaitable.hpp>

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

namespace cuebox::pg::detail {

using cuebox::detail::blocking_threads;

// What a session and its cancellers share. A request to cancel names the server's process, not the
// statement, so it is sent only while the operation it was made for still runs; and cancellers lose
// their effect when their connection passes to another borrower.
class cancel_point : public std::enable_shared_from_this<cancel_point>
{
public:
    // Blocks until the server has taken the request; whether it has. It must not throw.
    using sender = std::function<bool()>;

    cancel_point(sender send, blocking_threads& threads);

    // The session, around each operation.
    void begin() noexcept { ++operation_; }
    void end() noexcept { ++operation_; }

    // Stops what is running, if anything is, and the lease is still this one. Any thread.
    std::uint64_t lease() const noexcept { return lease_; }
    void request(std::uint64_t lease) noexcept;

    // For a session that closes: once more a little later, since the first request may reach the
    // server before the statement does, which would then run for nobody. A server that does not
    // answer the first is not asked again.
    void insist() noexcept;

    // Ends the lease. False when a request is still under way, which may hit what runs next.
    bool retire() noexcept;

private:
    bool hand_over(std::uint64_t operation) noexcept;
    void ask(clock::duration later, int times) noexcept;

    sender send_;
    blocking_threads& threads_;
    std::atomic<std::uint64_t> operation_ = 0; // Odd while one runs.
    std::atomic<std::uint64_t> lease_ = 0;
    std::atomic<std::uint64_t> under_way_ = 0; // Requests that wait for a thread or an answer.
};

}
