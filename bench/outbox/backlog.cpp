#include "backlog.hpp"

#include "event.hpp"

#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/publisher.hpp>

namespace bench::outbox {

pg::awaitable<void> add_events(pg::transaction& within, std::int64_t generation, numbers which)
{
    const cuebox::outbox::publisher publisher{{.source = "bench", .generation = generation}};
    auto bulk = co_await cuebox::outbox::bulk::start(within);
    for (std::int64_t number = which.first; number < which.end; ++number) {
        const bench_event filled{.number = number};
        const auto event = publisher.prepare(filled);
        co_await bulk.add(event);
    }
    co_await bulk.finish();
}

}
