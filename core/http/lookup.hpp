#pragma once

#include <cuebox/runtime/awaitable.hpp>
#include <cuebox/runtime/clock.hpp>

#include <functional>
#include <string>
#include <vector>

namespace cuebox::http {

// What became of a name: its addresses, or why it has none.
struct lookup_result
{
    std::vector<std::string> addresses{};
    std::string failure{};
};

// getaddrinfo: it blocks, for as long as the name servers please.
lookup_result look_up(const std::string& host);

// The addresses behind a host; an address stands for itself. Looked up by threads that belong to
// nobody, because Asio's resolver has one for each io_context: names would queue behind one that
// hangs, and neither a deadline nor a cancellation would end the wait. So the look-up may go on
// when who asked has gone; its answer is then dropped.
awaitable<lookup_result> resolve(std::string host, time_point until,
                                 std::function<lookup_result(const std::string&)> how = look_up);

}
