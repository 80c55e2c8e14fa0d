#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/outbox/reading_statements.hpp>

#include <algorithm>

namespace cuebox::outbox {

namespace {

struct queue_reading
{
    double notify_queue_usage;
    bool sees_durations;
};

// A backlog of many millions takes longer to count than any other statement does. Once it has been,
// there is none for a while.
constexpr std::chrono::minutes count_deadline{2};

// The share of one generation.
void add_up(gauges& read, std::int64_t generation)
{
    for (const backlog_group& each : read.backlog) {
        if (each.generation != generation)
            continue;
        (each.status == "pending" ? read.pending : read.in_flight) += each.events;
        read.oldest_seconds = std::max(read.oldest_seconds.value_or(0), each.oldest_seconds);
    }
}

}

// One round trip. However many processes do this, one of them counts.
pg::awaitable<gauges> pg_relay::read_gauges(std::chrono::milliseconds age_max)
{
    pg::pipeline steps;
    const bool in_any_case = false;
    const std::int32_t holders = 1;
    const auto taken = steps.add(take_reading, age_max, in_any_case);
    steps.end_segment();
    const auto backlog = steps.add(read_backlog);
    const auto dead_letters = steps.add(read_dead_letters);
    const auto unrouted = steps.add(read_unrouted);
    const auto stranded = steps.add(read_stranded);
    const auto xmins = steps.add(read_xmin_holders, holders);
    const auto queue = steps.add(read_notify_queue);

    auto connection = co_await pool_.borrow();
    const auto usual = connection->deadline();
    connection->set_deadline(std::max<std::chrono::nanoseconds>(usual, count_deadline));
    const auto answers = co_await connection->run(std::move(steps));
    connection->set_deadline(usual);
    gauges read;
    read.counting = answers[taken].get().first<counting>().value_or(counting{});
    read.backlog = answers[backlog].get().rows<backlog_group>();
    read.dead_letters = answers[dead_letters].get().rows<dead_letter_group>();
    read.unrouted = answers[unrouted].get().rows<unrouted_group>();
    read.stranded = answers[stranded].get().rows<stranded_group>();
    read.oldest_xmin = answers[xmins].get().first<xmin_holder>();
    read.oldest_xmin_age = read.oldest_xmin ? read.oldest_xmin->xmin_age : 0;
    const auto now = answers[queue].get().only<queue_reading>();
    read.notify_queue_usage = now.notify_queue_usage;
    read.sees_durations = now.sees_durations;
    add_up(read, options_.generation);
    co_return read;
}

}
