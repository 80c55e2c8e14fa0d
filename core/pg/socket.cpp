#include <cuebox/pg/socket.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace cuebox::pg::detail {

using descriptor = asio::posix::stream_descriptor;

struct socket::state
{
    explicit state(asio::any_io_executor executor) : watched(executor), timer(executor) {}

    descriptor watched;
    asio::steady_timer timer;
    unsigned operation = 0; // Tells a timer's late handler that its operation is over.
    bool expired = false;
};

socket::socket(asio::any_io_executor executor) : state_(std::make_shared<state>(executor)) {}

socket::~socket()
{
    expect_nothing();
    release();
}

asio::any_io_executor socket::executor() const
{
    return state_->watched.get_executor();
}

void socket::assign(int descriptor)
{
    state_->watched.assign(descriptor);
}

void socket::release()
{
    if (state_->watched.is_open())
        state_->watched.release();
}

void socket::expect_by(clock::time_point deadline)
{
    state_->expired = false;
    const unsigned operation = ++state_->operation;
    state_->timer.expires_at(deadline);
    state_->timer.async_wait([shared = state_, operation](boost::system::error_code failed) {
        if (failed || shared->operation != operation)
            return;
        shared->expired = true;
        shared->watched.cancel(failed); // Released at the same moment, there is nothing to cancel.
    });
}

void socket::expect_nothing()
{
    ++state_->operation;
    state_->timer.cancel();
}

awaitable<readiness> socket::wait(interest what)
{
    const auto shared = state_;
    if (shared->expired)
        co_return readiness::timed_out;

    // Of two directions the second is watched by a handler which ends the first one's wait.
    const auto writable = std::make_shared<bool>(false);
    const auto waiting = what == interest::read_or_write ? std::make_shared<bool>(true) : nullptr;
    if (waiting)
        shared->watched.async_wait(descriptor::wait_write,
                                   [shared, writable, waiting](boost::system::error_code failed) {
                                       *writable = !failed;
                                       if (*writable && *waiting)
                                           shared->watched.cancel(failed);
                                   });

    const auto first = what == interest::write ? descriptor::wait_write : descriptor::wait_read;
    const auto [failed] =
        co_await shared->watched.async_wait(first, asio::as_tuple(asio::use_awaitable));
    if (waiting) {
        *waiting = false;
        if (!*writable && shared->watched.is_open())
            shared->watched.cancel();
    }
    if (shared->expired)
        co_return readiness::timed_out;
    if (!shared->watched.is_open())
        co_return readiness::released;
    if (failed && !*writable)
        throw boost::system::system_error(failed);
    co_return readiness::ready;
}

}
