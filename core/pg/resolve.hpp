#pragma once

#include <cuebox/pg/awaitable.hpp>
#include <cuebox/pg/conninfo.hpp>

#include <vector>

namespace cuebox::pg::detail {

// The addresses behind the targets, in order, looked up off this thread: libpq would block in
// getaddrinfo. A name that is not found, each within a time, is kept and its failure noted.
awaitable<std::vector<target>> resolve(std::vector<target> targets, clock::time_point deadline,
                                       clock::duration each);

}
