#pragma once

#include <boost/asio/awaitable.hpp>

namespace cuebox::cli {

// What SIGINT and SIGTERM make of a command: a failure that says so, or, for one that has no other
// end, its end.
enum class when_interrupted
{
    fails,
    ends
};

// Runs a command's coroutine to its end, on this thread, and throws what it throws. SIGINT and
// SIGTERM cancel it. What the database says about a missing schema is put into words.
int run(boost::asio::awaitable<int> command, when_interrupted then = when_interrupted::fails);

}
