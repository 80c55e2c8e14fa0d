#include <cuebox/pg/socket.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

namespace cuebox::pg::detail {

using descriptor = asio::posix::stream_descriptor;

namespace {

// A deadline that rings late by this much rings on a thread that stood still meanwhile: the server
// may have answered long ago, or was never asked. So it is given this long before it is blamed.
constexpr std::chrono::milliseconds late{250};
constexpr std::chrono::seconds grace{2};

}

struct socket::state
{
    explicit state(asio::any_io_executor executor) : watched(executor), timer(executor) {}

    descriptor watched;
    asio::steady_timer timer;
    unsigned operation = 0; // Tells a timer's late handler that its operation is over.
    bool expired = false;

    static void expect(const std::shared_ptr<state>& self, clock::time_point deadline);
};

void socket::state::expect(const std::shared_ptr<state>& self, clock::time_point deadline)
{
    self->timer.expires_at(deadline);
    const auto ring = [self, deadline,
                       operation = self->operation](boost::system::error_code failed) {
        if (failed || self->operation != operation)
            return;
        const auto now = clock::now();
        if (now - deadline >= late) {
            expect(self, now + grace);
            return;
        }
        self->expired = true;
        self->watched.cancel(failed); // Released at the same moment, there is nothing to cancel.
    };
    self->timer.async_wait(ring);
}

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
    ++state_->operation;
    state::expect(state_, deadline);
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
