#pragma once

#include <boost/asio/awaitable.hpp>

namespace cuebox::cli {

// Runs a command's coroutine to its end, on this thread, and throws what it throws. SIGINT and
// SIGTERM cancel it, which is a failure that says so. What the database says about a missing schema
// is put into words.
int run(boost::asio::awaitable<int> command);

}
