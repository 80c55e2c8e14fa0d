#include <cuebox/operations/error.hpp>
#include <cuebox/operations/status.hpp>
#include <cuebox/operations/warnings.hpp>
#include <cuebox/outbox/reading_statements.hpp>

#include <algorithm>

namespace cuebox::operations {

namespace {

// Of three heartbeats, and the time for one of them to arrive.
constexpr double silent_seconds = 10;
constexpr std::int32_t holders_max = 5;

const pg::statement read_generations{.name = "generations", .sql = R"(
select generation, label, status, contexts, workers
from core.metrics_deployments order by generation desc)"};

const pg::statement read_listeners{.name = "workers", .sql = R"(
select id, context, generation, host, pid,
    extract(epoch from clock_timestamp() - started_at)::float8 as uptime_seconds,
    heartbeat_age_seconds, alive, listening, holding,
    delivered, retried, failed, delivered_per_second, retried_per_second, failed_per_second
from core.metrics_workers order by generation desc, context, id)"};

const pg::statement read_storage{.name = "storage", .sql = R"(
select relation, rows_estimate, coalesce(dead_rows_estimate, 0) as dead_rows_estimate, bytes
from core.metrics_storage order by relation desc)"};

const pg::statement read_recovery{.name = "standby", .sql = "select pg_is_in_recovery()"};

const pg::statement read_clock{.name = "clock", .sql = R"(
select clock_timestamp())"};

struct queue_reading
{
    double notify_queue_usage;
    bool sees_durations;
};

template <class Group>
std::int64_t events_of(const std::vector<Group>& groups)
{
    std::int64_t sum = 0;
    for (const Group& each : groups)
        sum += each.events;
    return sum;
}

totals add_up(const status& seen)
{
    totals sum;
    for (const outbox::backlog_group& each : seen.backlog) {
        (each.status == "pending" ? sum.pending : sum.in_flight) += each.events;
        sum.waiting += each.waiting;
        sum.oldest_seconds = std::max(sum.oldest_seconds.value_or(0), each.oldest_seconds);
    }
    sum.dead_letters = events_of(seen.dead_letters);
    sum.unrouted = events_of(seen.unrouted);
    sum.stranded = events_of(seen.stranded);
    return sum;
}

throughput add_up(const std::vector<listener>& listeners)
{
    throughput sum;
    for (const listener& each : listeners) {
        if (each.silent())
            continue; // What it did last it does no more.
        sum.delivered_per_second += each.delivered_per_second;
        sum.retried_per_second += each.retried_per_second;
        sum.failed_per_second += each.failed_per_second;
    }
    return sum;
}

}

bool listener::silent() const
{
    return alive == false || heartbeat_age_seconds > silent_seconds;
}

pg::awaitable<status> read_status(pg::connection& database, status_options options)
{
    pg::pipeline steps;
    const auto standby = steps.add(read_recovery);
    const auto taken = steps.add(outbox::take_reading, options.age_max, options.exact);
    steps.end_segment();
    const auto clock = steps.add(read_clock);
    const auto backlog = steps.add(outbox::read_backlog);
    const auto dead_letters = steps.add(outbox::read_dead_letters);
    const auto unrouted = steps.add(outbox::read_unrouted);
    const auto stranded = steps.add(outbox::read_stranded);
    const auto generations = steps.add(read_generations);
    const auto listeners = steps.add(read_listeners);
    const auto storage = steps.add(read_storage);
    const auto xmins = steps.add(outbox::read_xmin_holders, holders_max);
    const auto queue = steps.add(outbox::read_notify_queue);

    const auto answers = co_await database.run(std::move(steps));
    if (answers[standby].get().only<bool>())
        throw error{"this server is a standby, and the count of the backlog is kept by the primary",
                    "ask that one"};
    status seen;
    seen.counting = answers[taken].get().first<outbox::counting>().value_or(outbox::counting{});
    seen.at = answers[clock].get().only<pg::timestamp>();
    seen.backlog = answers[backlog].get().rows<outbox::backlog_group>();
    seen.dead_letters = answers[dead_letters].get().rows<outbox::dead_letter_group>();
    seen.unrouted = answers[unrouted].get().rows<outbox::unrouted_group>();
    seen.stranded = answers[stranded].get().rows<outbox::stranded_group>();
    seen.generations = answers[generations].get().rows<generation_state>();
    seen.listeners = answers[listeners].get().rows<listener>();
    seen.storage = answers[storage].get().rows<operations::storage>();
    seen.xmin_holders = answers[xmins].get().rows<outbox::xmin_holder>();
    const auto now = answers[queue].get().only<queue_reading>();
    seen.notify_queue_usage = now.notify_queue_usage;
    seen.sees_durations = now.sees_durations;
    seen.totals = add_up(seen);
    seen.throughput = add_up(seen.listeners);
    seen.warnings = find_warnings(seen);
    co_return seen;
}

}
