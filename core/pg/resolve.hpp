#pragma once

#include <cuebox/asio/lookup.hpp>
#include <cuebox/pg/awaitable.hpp>
#include <cuebox/pg/conninfo.hpp>

#include <string>
#include <vector>

namespace cuebox::pg::detail {

using cuebox::detail::look_up;
using cuebox::detail::lookup;
using cuebox::detail::lookup_result;

// The addresses behind the targets, in order, looked up side by side and off this thread: libpq
// would block in getaddrinfo. A name that is not found, or not in time, is kept and its failure
// noted; it gets at most half of what is left before the deadline, since the others are still to
// be connected to. A look-up that hangs holds up neither other names nor the io_context.
awaitable<std::vector<target>> resolve(std::vector<target> targets, clock::time_point deadline,
                                       clock::duration each_within, lookup::function how = look_up);

}
