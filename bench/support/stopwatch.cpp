#include "stopwatch.hpp"

#include "allocations.hpp"

#include <limits>
#include <stdexcept>
#include <string>

namespace bench {

double sample::million_per_second() const
{
    return 1e3 * static_cast<double>(messages) / static_cast<double>(elapsed.count());
}

double sample::nanoseconds_per_message() const
{
    return static_cast<double>(elapsed.count()) / static_cast<double>(messages);
}

double sample::allocations_per_message() const
{
    if (!allocations)
        return std::numeric_limits<double>::quiet_NaN();
    return static_cast<double>(*allocations) / static_cast<double>(messages);
}

void stopwatch::start()
{
    allocations_before_ = allocations();
    started_ = std::chrono::steady_clock::now();
}

void stopwatch::stop()
{
    stopped_ = std::chrono::steady_clock::now();
    allocations_after_ = allocations();
}

sample stopwatch::take(std::uint64_t sent, std::uint64_t received) const
{
    if (received != sent)
        throw std::runtime_error("sent " + std::to_string(sent) + " messages, received " +
                                 std::to_string(received));
    if (stopped_ <= started_)
        throw std::runtime_error("the stopwatch was never started, or never stopped");
    return {.elapsed = stopped_ - started_,
            .messages = received,
            .allocations = allocations_after_ - allocations_before_};
}

}
