#pragma once

#include <functional>
#include <stdexcept>

namespace cuebox::cli {

// What the chosen command does once all arguments are known to be good; returns the exit code. Each
// command is a function add_NAME(app, chosen) which describes its arguments and sets `chosen` when
// it is named.
using action = std::function<int()>;

// Exit codes: done, failed, wrong usage.
inline constexpr int done = 0;
inline constexpr int failed = 1;
inline constexpr int wrong_usage = 2;

// A command that cannot do what it was asked: one plain sentence that says what to do next.
class failure : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// Arguments that are each well formed, and together make no sense.
class usage_error : public failure
{
public:
    using failure::failure;
};

}
