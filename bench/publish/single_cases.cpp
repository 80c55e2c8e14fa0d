#include "cases.hpp"
#include "database.hpp"
#include "listener.hpp"
#include "order.hpp"
#include "pace.hpp"
#include "producers.hpp"

#include <cuebox/outbox/publisher.hpp>
#include <cuebox/outbox/statements.hpp>

#include <memory>

// One event in each transaction.
namespace bench::publish {
namespace {

namespace pg = cuebox::pg;
namespace outbox = cuebox::outbox;

enum class wakes
{
    by_row,   // the row's own NOTIFY
    by_waker, // quiet rows, one coalesced wake
    none      // quiet rows, nobody woken
};

using shared_publisher = std::shared_ptr<const outbox::publisher>;

// As a producer writes it: BEGIN travels with the event, COMMIT follows.
pg::awaitable<void> publish_each(shared_publisher publisher, bool quiet, pg::connection& connection,
                                 std::uint64_t first, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        pg::transaction work{connection};
        outbox::outgoing event = publisher->prepare(make_order(first + i));
        event.quiet = quiet;
        co_await publisher->publish(work, std::move(event));
        co_await work.commit();
    }
}

pg::awaitable<void> publish_in_one_trip(shared_publisher publisher, pg::connection& connection,
                                        std::uint64_t first, std::uint64_t count)
{
    for (std::uint64_t i = 0; i < count; ++i) {
        pg::transaction work{connection};
        const outbox::outgoing event = publisher->prepare(make_order(first + i));
        pg::pipeline last;
        last.add(outbox::publish_one, outbox::publish_one_params(event));
        co_await work.commit_with(std::move(last));
        publisher->wake(event.channel);
    }
}

producer make(wakes how, bool one_trip, outbox::waker* waker)
{
    const auto publisher = std::make_shared<const outbox::publisher>(
        outbox::publisher_options{.source = "shop", .generation = 1, .waker = waker});
    const bool quiet = how != wakes::by_row;
    if (one_trip)
        return [publisher](pg::connection& connection, std::uint64_t first, std::uint64_t count) {
            return publish_in_one_trip(publisher, connection, first, count);
        };
    return
        [publisher, quiet](pg::connection& connection, std::uint64_t first, std::uint64_t count) {
            return publish_each(publisher, quiet, connection, first, count);
        };
}

sample run(std::size_t producers, wakes how, bool one_trip, std::uint64_t messages)
{
    const listener listener{the_database().options(), "outbox_gen_1"};
    const producer_rules rules{.producers = producers, .waker = how == wakes::by_waker};
    const auto taken = run_producers(
        rules, messages, [=](outbox::waker* waker) { return make(how, one_trip, waker); });
    if (how != wakes::none)
        listener.expect_some();
    return taken;
}

// What a second may take of them at most.
std::uint64_t messages_for(std::size_t producers)
{
    return producers == 1 ? 4'000 : producers == 2 ? 6'000 : 16'000;
}

void add(suite& suite, const std::string& workload, const char* system, std::size_t producers,
         wakes how, bool one_trip, std::string note)
{
    suite.add(
        paced({workload, system, messages_for(producers),
               [=](std::uint64_t messages) { return run(producers, how, one_trip, messages); },
               producers == 1 ? std::move(note) : ""}));
}

}

void add_single_cases(suite& suite)
{
    using namespace systems;
    for (const auto count : producer_counts) {
        add(suite, loud(count), cuebox, count, wakes::by_row, false,
            "BEGIN and the event in one round trip, then COMMIT; a NOTIFY for the row");
        add(suite, loud(count), cuebox_one_trip, count, wakes::by_row, true,
            "transaction.commit_with: BEGIN, the event and COMMIT in one round trip");
        suite.add(paced(pgbench_case(count, false, false, messages_for(count))));
        suite.add(paced(pgbench_case(count, false, true, messages_for(count))));
    }
    for (const auto count : producer_counts) {
        add(suite, quiet(count), cuebox, count, wakes::by_waker, false,
            "rows without a NOTIFY, one coalesced wake by outbox::waker");
        add(suite, quiet(count), cuebox_one_trip, count, wakes::by_waker, true, "");
        add(suite, quiet(count), unwoken, count, wakes::none, false,
            "the same rows by Cuebox, and nobody woken");
        suite.add(paced(pgbench_case(count, true, false, messages_for(count))));
        suite.add(paced(pgbench_case(count, true, true, messages_for(count))));
    }
}

}
