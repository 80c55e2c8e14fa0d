#pragma once

#include <cuebox/pg/awaitable.hpp>
#include <cuebox/pg/conninfo.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cuebox::pg::detail {

// What became of a name: its addresses, or why it has none.
struct lookup_result
{
    std::vector<std::string> addresses{};
    std::string failure{};
};

// getaddrinfo: it blocks, for as long as the name servers please.
lookup_result look_up(const std::string& host);

// The addresses behind the targets, in order, looked up side by side and off this thread: libpq
// would block in getaddrinfo. A name that is not found, or not in time, is kept and its failure
// noted; it gets at most half of what is left before the deadline, since the others are still to
// be connected to. A look-up that hangs holds up neither other names nor the io_context.
awaitable<std::vector<target>>
resolve(std::vector<target> targets, clock::time_point deadline, clock::duration each_within,
        std::function<lookup_result(const std::string&)> how = look_up);

}
