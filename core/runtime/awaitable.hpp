#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

namespace cuebox {

namespace asio = boost::asio;

// The one coroutine type of Cuebox: Asio's own, so actors await whatever Asio code awaits.
template <class T = void>
using awaitable = asio::awaitable<T>;

}
