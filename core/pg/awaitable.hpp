#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <chrono>

namespace cuebox::pg {

namespace asio = boost::asio;

template <class T>
using awaitable = asio::awaitable<T>;

// Every wait ends at one: see connect_options and connection::deadline.
using clock = std::chrono::steady_clock;

// So long from now, or as late as the clock can tell.
inline clock::time_point deadline_in(std::chrono::nanoseconds limit)
{
    const auto now = clock::now();
    return limit < clock::time_point::max() - now ? now + limit : clock::time_point::max();
}

}
