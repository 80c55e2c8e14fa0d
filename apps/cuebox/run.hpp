#pragma once

#include <boost/asio/awaitable.hpp>

namespace cuebox::cli {

// What SIGINT, SIGTERM and SIGQUIT make of a command: a failure that says so, or, for one that has
// no other end, its end.
enum class when_interrupted
{
    fails,
    ends
};

// Runs a command's coroutine to its end, on this thread, and throws what it throws. Those signals
// cancel it. Returns when the server has been told to stop what was abandoned, or does not listen
// for a while. What the database says about a missing schema is put into words.
int run(boost::asio::awaitable<int> command, when_interrupted then = when_interrupted::fails);

}
