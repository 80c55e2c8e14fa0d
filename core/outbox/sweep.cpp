#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/outbox/retention.hpp>
#include <cuebox/outbox/worker_statements.hpp>
#include <cuebox/pg/transaction.hpp>

#include <algorithm>

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
struct policies
{
    std::int64_t outbox_active;
    std::int64_t outbox_grace;
    std::int64_t handled_active;
    std::int64_t handled_grace;
};

template <class Step>
void add(swept& total, const Step& done)
{
    total.ran = true;
    total.tombstoned += done.tombstoned;
    total.deleted += done.deleted;
}

// Each step is a transaction that tries for the lock; false: somebody else has it.
pg::awaitable<bool> sweep_rows(pg::connection& database, std::int64_t generation, retention rules,
                               swept& total)
{
    std::optional<pg::timestamp> from = pg::timestamp::min();
    while (from) {
        pg::transaction step{database};
        const bool first = co_await step.query_one<bool>(try_sweep_lock);
        if (!first) {
            co_await step.rollback();
            co_return false;
        }
        const auto done = co_await step.query_one<sweep_step>(
            sweep_generation, generation, *from, rules.outbox_active, rules.outbox_grace);
        co_await step.commit();
        add(total, done);
        from = done.next_from;
    }
    co_return true;
}

pg::awaitable<bool> sweep_records(pg::connection& database, retention rules, swept& total)
{
    std::optional<pg::tid> place = pg::tid{};
    while (place) {
        pg::transaction step{database};
        const bool first = co_await step.query_one<bool>(try_sweep_lock);
        if (!first) {
            co_await step.rollback();
            co_return false;
        }
        const auto done = co_await step.query_one<sweep_handled_step>(
            sweep_handled, rules.handled_active, rules.handled_grace, *place);
        co_await step.commit();
        add(total, done);
        place = done.next_from;
    }
    co_return true;
}

}

std::string why_refused(const retention& rules)
{
    if (rules.outbox_active.count() <= 0 || rules.outbox_grace.count() < 0 ||
        rules.handled_grace.count() < 0)
        return "outbox_active must be more than nothing, and no grace less";
    // Before they are added, which could overflow.
    if (std::max({rules.outbox_active, rules.outbox_grace, rules.handled_active,
                  rules.handled_grace}) > retention_max)
        return "nothing is kept for longer than 1000 years: that is forever";
    if (rules.handled_active <= rules.outbox_active + rules.outbox_grace)
        return "handled_active must be longer than outbox_active and outbox_grace together: else a "
               "replay could run twice";
    return {};
}

pg::awaitable<retention> read_retention(pg::connection& database)
{
    const auto found = co_await database.query_one<policies>(read_policies);
    co_return retention{.outbox_active = std::chrono::seconds(found.outbox_active),
                        .outbox_grace = std::chrono::seconds(found.outbox_grace),
                        .handled_active = std::chrono::seconds(found.handled_active),
                        .handled_grace = std::chrono::seconds(found.handled_grace)};
}

pg::awaitable<swept> sweep(pg::connection& database, std::optional<retention> rules)
{
    if (!rules)
        rules = co_await read_retention(database);
    if (const std::string why = why_refused(*rules); !why.empty())
        throw retention_error("retention: " + why);
    swept total;
    const auto generations = co_await database.query<std::int64_t>(list_generations);
    for (const std::int64_t generation : generations) {
        const bool ours = co_await sweep_rows(database, generation, *rules, total);
        if (!ours)
            co_return total;
    }
    (void)co_await sweep_records(database, *rules, total);
    co_return total;
}

pg::awaitable<swept> pg_relay::sweep(std::optional<retention> rules)
{
    auto connection = co_await pool_.borrow();
    const swept total = co_await outbox::sweep(*connection, rules);
    co_return total;
}

}
