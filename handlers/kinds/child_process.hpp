#pragma once

#include <cuebox/runtime/awaitable.hpp>

#include <cstddef>
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
    // The beginning of what it wrote to stdout, as much as was asked for. Cut, it wrote more, and
    // was killed for it.
    std::string out{};
    bool out_cut = false;
};

// Runs a program in a process group of its own, with `input` on its stdin. Up to `out_max` bytes of
// its stdout are kept; 0 is none. Over is when the program itself has ended: what it has started is
// killed with the group, and what has left the group may go on, unheard. Cancelled, it kills the
// group. Throws std::system_error when it cannot be started.
awaitable<child_outcome> run_child(std::vector<std::string> command,
                                   std::map<std::string, std::string> environment,
                                   std::string input, std::size_t out_max = 0);

// How it ended, in words, with the end of what it wrote to stderr.
std::string describe(const std::string& program, const child_outcome& ended);

}
