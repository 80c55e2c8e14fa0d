#pragma once

#include "../support/stopwatch.hpp"

#include <cuebox/pg/connection.hpp>
#include <cuebox/pg/pool.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace cuebox::outbox {

class waker;

}

namespace bench::publish {

// Publishes `count` orders, numbered from `first`, on its connection.
using producer = std::function<cuebox::pg::awaitable<void>(
    cuebox::pg::connection& connection, std::uint64_t first, std::uint64_t count)>;
// Makes the producers of a run; the waker is there when one is asked for.
using make_producer = std::function<producer(cuebox::outbox::waker* waker)>;

struct producer_rules
{
    std::size_t producers = 1;
    std::uint64_t step = 1; // every one publishes a multiple of it
    bool waker = false;
};

// Runs them at once, each a coroutine with a connection of its own, all on this thread; timed from
// the first event to the last answer, and checked against the rows in the table.
sample run_producers(const producer_rules& rules, std::uint64_t messages, make_producer make);

}
