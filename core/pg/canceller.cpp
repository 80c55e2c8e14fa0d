#include <cuebox/pg/cancel_point.hpp>
#include <cuebox/pg/canceller.hpp>
#include <cuebox/pg/cancels.hpp>

#include <libpq-fe.h>

namespace cuebox::pg {

namespace detail {

namespace {

// libpq 15 can only cancel by blocking. Never destroyed: its threads may still run at the very end.
blocking_threads& cancel_threads()
{
    static auto& threads = *new blocking_threads({.threads = 8, .waiting = 1'000});
    return threads;
}

}

std::shared_ptr<cancel_point> make_cancel_point(pg_conn* connection)
{
    const std::shared_ptr<PGcancel> request(PQgetCancel(connection), PQfreeCancel);
    const auto send = [request] {
        char ignored[256];
        return PQcancel(request.get(), ignored, sizeof ignored) == 1;
    };
    return std::make_shared<cancel_point>(send, cancel_threads());
}

}

bool wait_for_cancels(std::chrono::milliseconds longest)
{
    return detail::cancel_threads().wait_until_idle(longest);
}

canceller::canceller(std::shared_ptr<detail::cancel_point> of)
    : point_(std::move(of)),
      lease_(point_->lease())
{}

void canceller::request() const noexcept
{
    point_->request(lease_);
}

}
