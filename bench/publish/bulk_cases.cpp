#include "cases.hpp"
#include "order.hpp"
#include "producers.hpp"

#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/publisher.hpp>

#include <memory>

// Many events in each transaction.
namespace bench::publish {
namespace {

namespace pg = cuebox::pg;
namespace outbox = cuebox::outbox;

constexpr std::uint64_t call_size = 1'000;
constexpr std::uint64_t large_call_size = 10'000;

using shared_publisher = std::shared_ptr<const outbox::publisher>;

pg::awaitable<void> publish_arrays(shared_publisher publisher, pg::connection& connection,
                                   std::uint64_t first, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; i += call_size) {
        std::vector<outbox::outgoing> events;
        events.reserve(call_size);
        for (std::uint64_t j = 0; j < call_size; ++j)
            events.push_back(publisher->prepare(make_order(first + i + j)));
        pg::transaction work{connection};
        co_await publisher->publish(work, std::move(events));
        co_await work.commit();
    }
}

pg::awaitable<void> publish_by_copy(shared_publisher publisher, std::uint64_t size,
                                    pg::connection& connection, std::uint64_t first,
                                    std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; i += size) {
        pg::transaction work{connection};
        auto bulk = co_await outbox::bulk::start(work);
        for (std::uint64_t j = 0; j < size; ++j) {
            const outbox::outgoing event = publisher->prepare(make_order(first + i + j));
            co_await bulk.add(event);
        }
        co_await bulk.finish();
        co_await work.commit();
    }
}

sample run_arrays(std::size_t connections, std::uint64_t messages)
{
    const auto publisher = std::make_shared<const outbox::publisher>(
        outbox::publisher_options{.source = "shop", .generation = 1});
    const producer_rules rules{.producers = connections, .step = call_size};
    return run_producers(rules, messages, [publisher](outbox::waker*) {
        return [publisher](pg::connection& connection, std::uint64_t first, std::uint64_t count) {
            return publish_arrays(publisher, connection, first, count);
        };
    });
}

sample run_copy(std::size_t connections, std::uint64_t size, std::uint64_t messages)
{
    const auto publisher = std::make_shared<const outbox::publisher>(
        outbox::publisher_options{.source = "shop", .generation = 1});
    const producer_rules rules{.producers = connections, .step = size};
    return run_producers(rules, messages, [=](outbox::waker*) {
        return [=](pg::connection& connection, std::uint64_t first, std::uint64_t count) {
            return publish_by_copy(publisher, size, connection, first, count);
        };
    });
}

}

void add_bulk_cases(suite& suite)
{
    using namespace systems;
    constexpr std::uint64_t messages = 60'000;
    for (const auto count : bulk_connections) {
        const bool first = count == bulk_connections.front();
        suite.add({bulk(count), cuebox, messages,
                   [=](std::uint64_t given) { return run_arrays(count, given); },
                   first ? "publisher.publish of a vector of 1,000, and a commit" : ""});
        suite.add({bulk(count), copy, messages,
                   [=](std::uint64_t given) { return run_copy(count, call_size, given); },
                   first ? "outbox::bulk, 1,000 events to a COPY and a commit" : ""});
        suite.add({bulk(count), copy_large, 2 * messages,
                   [=](std::uint64_t given) { return run_copy(count, large_call_size, given); },
                   first ? "the same, 10,000 to a COPY and a commit" : ""});
        suite.add(graphile_case(count, messages / 2));
        suite.add(pg_boss_case(count, messages / 2));
    }
}

}
