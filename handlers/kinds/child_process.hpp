#pragma once

#include <cuebox/policy/error_class.hpp>
#include <cuebox/runtime/awaitable.hpp>

#include <cstddef>
#include <map>
#include <string>
#include <system_error>
#include <vector>

namespace cuebox::handlers {

struct child_outcome
{
    int exit = 0;
    int signal = 0;
    // The beginning and the end of what it wrote to stderr; of little, both are the whole.
    std::string err_head{};
    std::string err{};
    // The beginning of what it wrote to stdout, as much as was asked for. Cut, it wrote more, and
    // was killed for it.
    std::string out{};
    bool out_cut = false;
};

class not_started : public std::system_error, public classified
{
public:
    using std::system_error::system_error;
    std::string_view error_class() const noexcept override { return "could not run"; }
};

// Runs a program in a process group of its own, with `input` on its stdin. Up to `out_max` bytes of
// its stdout are kept; 0 is none. Over is when the program itself has ended: what it has started is
// killed with the group, and what has left the group may go on, unheard. Cancelled, it kills the
// group. Throws not_started when it cannot be started.
awaitable<child_outcome> run_child(std::vector<std::string> command,
                                   std::map<std::string, std::string> environment,
                                   std::string input, std::size_t out_max = 0);

}
