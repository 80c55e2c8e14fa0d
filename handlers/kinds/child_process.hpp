#pragma once

#include <cuebox/runtime/awaitable.hpp>

#include <map>
#include <string>
#include <vector>

namespace cuebox::handlers {

struct child_outcome
{
    int exit = 0;
    int signal = 0;
    // The end of what it wrote to stderr.
    std::string err{};
};

// Runs a program in a process group of its own, with `input` on its stdin. Cancelled, it kills the
// group. Throws std::system_error when it cannot be started.
awaitable<child_outcome> run_child(std::vector<std::string> command,
                                   std::map<std::string, std::string> environment,
                                   std::string input);

}
