#include "actors/running_context.hpp"
#include "support/eventually.hpp"

#include <catch2/catch_test_macros.hpp>

#include <atomic>

using namespace cuebox;
using namespace cuebox::actors::test;
using cuebox::test::eventually;

namespace {

// Which generation handled how many, and how many of them were published at another.
struct counts
{
    std::atomic<int> handled = 0;
    std::atomic<int> strangers = 0;
};

// The buyer says at which generation the order was placed.
awaitable<void> count(counts& seen, std::string own, delivery<order_placed> order)
{
    // Some need a second try: that one is its own generation's as well.
    if (order->number % 10 == 3 && order.attempt() == 1)
        throw std::runtime_error("not yet");
    ++seen.handled;
    seen.strangers += order->buyer == own ? 0 : 1;
    co_return;
}

registry counting(counts& seen, std::int64_t generation)
{
    registry all;
    all.on<order_placed>("billing.count",
                         [&seen, own = std::to_string(generation)](delivery<order_placed> order) {
                             return count(seen, own, std::move(order));
                         },
                         {.retry = {.base = std::chrono::milliseconds(1)}});
    return all;
}

context_options options_at(const migrated& database, std::int64_t generation)
{
    auto made = running_context::options(database);
    made.generation = generation;
    return made;
}

// Orders of two generations, one after the other, on every kind of channel.
pg::awaitable<void> publish(pg::connect_options where, int count)
{
    pg::connection connection = co_await pg::connect(where);
    for (int i = 0; i < count; ++i) {
        const std::int64_t generation = i % 2 + 1;
        const outbox::publisher publisher{{.source = "shop", .generation = generation}};
        const order_placed placed{.number = i / 2, .buyer = std::to_string(generation)};
        outbox::event_options how;
        if (i % 3 == 0)
            how.processing_class = "bulk";
        pg::transaction work{connection};
        co_await publisher.publish(work, placed, how);
        co_await work.commit();
    }
}

std::string unsettled(const migrated& database)
{
    return database.query("select count(*) from core.outbox where status <> 'delivered'");
}

}

TEST_CASE("workers of two generations side by side: none handles a row of the other", "[actors]")
{
    const migrated database;
    database.query("select core.allocate_generation('old'), core.allocate_generation('new')");
    ledger book;
    counts old_seen;
    counts new_seen;
    running_context old_one(database, counting(old_seen, 1), book, options_at(database, 1));
    running_context new_one(database, counting(new_seen, 2), book, options_at(database, 2));
    old_one.wait_until_listening();
    new_one.wait_until_listening();

    outbox::test::run(publish(database.options(), 400));

    REQUIRE(eventually([&] { return old_seen.handled + new_seen.handled == 400; }));
    REQUIRE(eventually([&] { return unsettled(database) == "0"; }));
    CHECK(old_seen.handled == 200);
    CHECK(new_seen.handled == 200);
    CHECK(old_seen.strangers == 0);
    CHECK(new_seen.strangers == 0);
}

TEST_CASE("a rolling deployment: the old generation drains, what it left is moved, it is retired",
          "[actors]")
{
    const migrated database;
    database.query("select core.allocate_generation('old')");
    ledger book;
    counts old_seen;
    counts new_seen;
    std::optional<running_context> old_one(std::in_place, database, counting(old_seen, 1), book,
                                           options_at(database, 1));
    old_one->wait_until_listening();

    // The next generation has its workers before anybody publishes at it.
    CHECK(database.query("select core.allocate_generation('new')") == "2");
    running_context new_one(database, counting(new_seen, 2), book, options_at(database, 2));
    new_one.wait_until_listening();
    outbox::test::run(publish(database.options(), 100));
    REQUIRE(eventually([&] { return unsettled(database) == "0"; }));

    // Its workers are still there: it drains. A producer is late.
    CHECK(database.query("select core.retire_generation(1)") == "draining");
    old_one.reset();
    database.query("select core.outbox_publish('order.placed', 'shop', 1, "
                   "'{\"number\": 1, \"buyer\": \"1\"}') from generate_series(1, 20)");
    CHECK(database.query("select core.retire_generation(1)") == "draining");
    CHECK(new_seen.strangers == 0);

    // What is left goes to the new workers because an operator says so, and only then.
    CHECK(database.query("select core.outbox_drain(1, 2, 'ada')") == "20");
    REQUIRE(eventually([&] { return unsettled(database) == "0"; }));
    CHECK(database.query("select core.retire_generation(1)") == "retired");
    CHECK(old_seen.handled == 50);
    CHECK(old_seen.strangers == 0);
    CHECK(new_seen.strangers == 20);
    CHECK(new_seen.handled == 70);
}
