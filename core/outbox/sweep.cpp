#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/outbox/worker_statements.hpp>
#include <cuebox/pg/error.hpp>
#include <cuebox/pg/transaction.hpp>

namespace cuebox::outbox {

namespace {

struct sweep_step
{
    std::int32_t tombstoned;
    std::int32_t deleted;
    std::optional<pg::timestamp> next_from;
};
struct sweep_handled_step
{
    std::int32_t tombstoned;
    std::int32_t deleted;
    std::optional<pg::tid> next_from;
};

}

// One pass, each step of it a transaction that tries for the lock: whoever else sweeps goes first.
pg::awaitable<swept> pg_relay::sweep(retention rules)
{
    swept total;
    auto connection = co_await pool_.borrow();
    const auto generations = co_await connection->query<std::int64_t>(list_generations);
    for (const std::int64_t generation : generations) {
        std::optional<pg::timestamp> from = pg::timestamp::min();
        while (from) {
            pg::transaction step{*connection};
            const bool first = co_await step.query_one<bool>(try_sweep_lock);
            if (!first) {
                co_await step.rollback();
                co_return total;
            }
            const auto done = co_await step.query_one<sweep_step>(
                sweep_generation, generation, *from, rules.outbox_active, rules.outbox_grace);
            co_await step.commit();
            total.ran = true;
            total.tombstoned += done.tombstoned;
            total.deleted += done.deleted;
            from = done.next_from;
        }
    }
    std::optional<pg::tid> place = pg::tid{};
    while (place) {
        pg::transaction step{*connection};
        const bool first = co_await step.query_one<bool>(try_sweep_lock);
        if (!first) {
            co_await step.rollback();
            co_return total;
        }
        const auto done = co_await step.query_one<sweep_handled_step>(
            sweep_handled, rules.handled_active, rules.handled_grace, *place);
        co_await step.commit();
        total.ran = true;
        total.tombstoned += done.tombstoned;
        total.deleted += done.deleted;
        place = done.next_from;
    }
    co_return total;
}

}
