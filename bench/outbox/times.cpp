#include "times.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <algorithm>

namespace bench::outbox {

std::int64_t now_ns()
{
    return std::chrono::nanoseconds(steady::now().time_since_epoch()).count();
}

double seconds_since(steady::time_point began)
{
    return std::chrono::duration<double>(steady::now() - began).count();
}

void pause(std::chrono::nanoseconds time)
{
    boost::asio::io_context io{1};
    boost::asio::steady_timer{io, time}.wait();
}

percentiles percentiles_of(std::vector<std::int64_t> nanoseconds)
{
    if (nanoseconds.empty())
        return {};
    std::ranges::sort(nanoseconds);
    const auto at = [&](double share) {
        const auto last = static_cast<double>(nanoseconds.size() - 1);
        return static_cast<double>(nanoseconds[static_cast<std::size_t>(share * last)]) / 1e6;
    };
    return {.p50 = at(0.5), .p95 = at(0.95), .p99 = at(0.99), .max = at(1)};
}

}
