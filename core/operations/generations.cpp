#include <cuebox/operations/error.hpp>
#include <cuebox/operations/generations.hpp>
#include <cuebox/operations/statements.hpp>

namespace cuebox::operations {

namespace {

struct unsettled
{
    std::int64_t pending;
    std::int64_t in_flight;
    std::int64_t workers;
};

constexpr std::int32_t drain_batch = 1000;

}

pg::awaitable<std::vector<generation_info>> list_generations(pg::connection& connection)
{
    return connection.query<generation_info>(read_generations);
}

pg::awaitable<allocated_generation> allocate_generation(pg::connection& connection,
                                                        std::string label, std::string actor)
{
    allocated_generation made{.label = label};
    made.generation = co_await connection.query_one<std::int64_t>(allocate_one, label, actor);
    co_return made;
}

pg::awaitable<retired_generation> retire_generation(pg::connection& connection,
                                                    std::int64_t generation, std::string actor)
{
    retired_generation now{.generation = generation};
    auto asked = connection.query_one<std::string>(retire_one, generation, actor);
    now.status = co_await detail::in_words(std::move(asked));
    const auto left = co_await connection.query_one<unsettled>(read_unsettled, generation);
    now.pending = left.pending;
    now.in_flight = left.in_flight;
    now.workers = left.workers;
    co_return now;
}

pg::awaitable<drain_result> drain(pg::connection& connection, std::int64_t from, std::int64_t to,
                                  std::string actor,
                                  std::function<void(const drain_progress&)> progress)
{
    drain_result result{.from = from, .to = to};
    const auto before = co_await connection.query_one<unsettled>(read_unsettled, from);
    // The last one moves less than it could: whoever publishes there meanwhile does not keep it.
    for (std::int32_t moved = drain_batch; moved == drain_batch;) {
        auto asked = connection.query_one<std::int32_t>(drain_rows, from, to, actor, drain_batch);
        moved = co_await detail::in_words(std::move(asked));
        result.moved += moved;
        if (progress)
            progress({.moved = result.moved, .total = before.pending});
    }
    const auto left = co_await connection.query_one<unsettled>(read_unsettled, from);
    result.pending = left.pending;
    result.in_flight = left.in_flight;
    co_return result;
}

}
