#include <cuebox/pg/cancel_point.hpp>

namespace cuebox::pg::detail {

namespace {

// By then a statement that was on its way to the server has reached it.
constexpr auto once_more_after = std::chrono::milliseconds(500);

}

cancel_point::cancel_point(sender send, blocking_threads& threads)
    : send_(std::move(send)),
      threads_(threads)
{}

void cancel_point::request(std::uint64_t lease) noexcept
{
    ++under_way_; // First of all: so either retire() sees it, or its new lease is seen here.
    const std::uint64_t operation = operation_;
    const bool runs = operation % 2 == 1;
    if (!runs || lease != lease_ || !hand_over(operation))
        --under_way_;
}

bool cancel_point::hand_over(std::uint64_t operation) noexcept
{
    try {
        return threads_.run([self = shared_from_this(), operation] {
            if (self->operation_ == operation)
                self->send_();
            --self->under_way_;
        });
    }
    catch (const std::exception&) {
        return false; // No memory for the job.
    }
}

void cancel_point::insist() noexcept
{
    ask({}, 2);
}

void cancel_point::ask(clock::duration later, int times) noexcept
{
    try {
        const auto job = [self = shared_from_this(), times] {
            if (self->send_() && times > 1)
                self->ask(once_more_after, times - 1);
        };
        threads_.run(job, later);
    }
    catch (const std::exception&) {
        return; // No memory for the job: the closed socket has to tell the server.
    }
}

bool cancel_point::retire() noexcept
{
    ++lease_;
    return under_way_ == 0;
}

}
