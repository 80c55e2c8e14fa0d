#pragma once

#include "session.hpp"

#include <cuebox/pg/transaction.hpp>

#include <cstdint>

namespace bench::outbox {

// From the first to before the end.
struct numbers
{
    std::int64_t first = 0;
    std::int64_t end = 0;
};

// Writes the events with these numbers, by COPY.
pg::awaitable<void> add_events(pg::transaction& within, std::int64_t generation, numbers which);

}
