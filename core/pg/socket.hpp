#pragma once

#include <cuebox/pg/awaitable.hpp>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include <memory>

namespace cuebox::pg::detail {

enum class interest
{
    read,
    write,
    read_or_write
};

enum class readiness
{
    ready,
    timed_out,
    released // Let go of by others meanwhile.
};

// Waits on a descriptor that belongs to libpq: it is watched, never closed here. One coroutine
// waits at a time. A cancelled wait throws operation_aborted, as every Asio operation does.
class socket
{
public:
    explicit socket(asio::any_io_executor executor);
    ~socket();
    socket(const socket&) = delete;
    socket& operator=(const socket&) = delete;

    asio::any_io_executor executor() const;

    // libpq may close its descriptor and reopen the same number, after which epoll would stay
    // silent: let go before every call that could, and take hold again after.
    void assign(int descriptor);
    void release();

    // Until when the waits to come may take; each of them ends then.
    void expect_by(clock::time_point deadline);
    void expect_nothing();

    awaitable<readiness> wait(interest what);

private:
    struct state;
    std::shared_ptr<state> state_; // Shared with handlers that may run after this is gone.
};

}
