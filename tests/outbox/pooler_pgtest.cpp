#include "orders.hpp"
#include "support/migrated.hpp"
#include "support/pooler.hpp"

#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/migrate.hpp>
#include <cuebox/outbox/publisher.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::outbox;
using namespace cuebox::outbox::test;

namespace {

const publisher shop{{.source = "shop", .generation = 7}};

// Interleaves two clients, so that their transactions share server connections.
pg::awaitable<void> publish_from_two(pg::connect_options where, std::int64_t rounds)
{
    pg::connection one = co_await pg::connect(where);
    pg::connection two = co_await pg::connect(where);
    for (std::int64_t i = 0; i < rounds; ++i) {
        pg::transaction first{one};
        const order_placed order = some_order(i);
        co_await shop.publish(first, order);
        pg::transaction second{two};
        const std::vector events{shop.prepare(some_order(i)), shop.prepare(some_order(i))};
        co_await shop.publish(second, events);
        co_await first.commit();
        co_await second.commit();
    }
    pg::transaction work{one};
    auto copy = co_await bulk::start(work);
    for (std::int64_t i = 0; i < rounds; ++i) {
        const outgoing event = shop.prepare(some_order(i));
        co_await copy.add(event);
    }
    co_await copy.finish();
    co_await work.commit();
}

}

TEST_CASE("migrating and publishing work through PgBouncer in transaction mode", "[outbox]")
{
    const cuebox::test::database database;
    const cuebox::test::pooler pooler;
    const pg::connect_options through{.conninfo = pooler.conninfo(database.name()),
                                      .prepared_max = 0};

    run(migrate(through));
    run(publish_from_two(through, 50));

    CHECK(database.query("select count(*) from core.outbox") == "200");
}
