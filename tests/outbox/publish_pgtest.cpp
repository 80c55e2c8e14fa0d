#include "orders.hpp"
#include "support/migrated.hpp"

#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/outbox/statements.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::outbox;
using namespace cuebox::outbox::test;
using namespace std::chrono_literals;

namespace {

const publisher shop{{.source = "shop", .generation = 7}};

constexpr auto rows = "select count(*) from core.outbox";

std::vector<outgoing> orders(std::int64_t count, const event_options& options = {})
{
    std::vector<outgoing> all;
    for (std::int64_t i = 0; i < count; ++i)
        all.push_back(shop.prepare(some_order(i), options));
    return all;
}

pg::awaitable<event::uuid> publish_order(pg::connect_options where, event_options options)
{
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    const order_placed order = some_order(12);
    const event::uuid id = co_await shop.publish(work, order, options);
    co_await work.commit();
    co_return id;
}

pg::awaitable<void> publish_many_orders(pg::connect_options where, std::vector<outgoing> all)
{
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    co_await shop.publish(work, std::move(all));
    co_await work.commit();
}

pg::awaitable<std::size_t> copy_orders(pg::connect_options where, std::vector<outgoing> all)
{
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    auto copy = co_await bulk::start(work);
    for (const outgoing& each : all)
        co_await copy.add(each);
    const std::size_t taken = co_await copy.finish();
    co_await work.commit();
    co_return taken;
}

pg::awaitable<void> publish_and_roll_back(pg::connect_options where)
{
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    const order_placed order = some_order(1);
    co_await shop.publish(work, order);
    co_await work.rollback();
}

pg::awaitable<void> publish_single(pg::connect_options where, outgoing event)
{
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    co_await shop.publish(work, event);
    co_await work.commit();
}

pg::awaitable<void> as_void(pg::awaitable<std::size_t> work)
{
    co_await std::move(work);
}

// What a listener of the channel hears while something is published.
pg::awaitable<std::vector<pg::notification>> listen_to(pg::connect_options where,
                                                       std::string channel,
                                                       std::function<pg::awaitable<void>()> publish)
{
    pg::connection listener = co_await pg::connect(where);
    co_await listener.listen(channel);
    co_await publish();
    std::vector<pg::notification> heard;
    auto next = co_await listener.next_notification(10s);
    while (next) {
        heard.push_back(*next);
        next = co_await listener.next_notification(0s);
    }
    co_return heard;
}

}

TEST_CASE("an event is a row with everything the envelope says", "[outbox]")
{
    const migrated database;

    const auto id = run(publish_order(database.options(), {.target = "billing", .key = "k"}));

    CHECK(database.query("select id, event_type, event_version, source, target, content_class, "
                         "channel, generation, domain_id, idempotency_key, trace_context, status, "
                         "attempts, claimed_at, quiet from core.outbox") ==
          event::print_uuid(id) +
              "|order.placed|2|shop|billing|standard|outbox_gen_7|7||k||pending|0||f");
    CHECK(
        database.query("select payload->'number', payload->>'buyer', payload->'lines'->0->'count' "
                       "from core.outbox") == "12|Ada|3");
    CHECK(database.query("select now() - occurred_at < interval '1 minute' and "
                         "available_at <= created_at from core.outbox") == "t");
}

TEST_CASE("a delayed event is available later", "[outbox]")
{
    const migrated database;

    run(publish_order(database.options(), {.delay = 90s}));

    CHECK(database.query("select available_at - now() between interval '60 s' and interval '90 s' "
                         "from core.outbox") == "t");
}

TEST_CASE("what is rolled back was never published", "[outbox]")
{
    const migrated database;

    run(publish_and_roll_back(database.options()));

    CHECK(database.query(rows) == "0");
}

TEST_CASE("many events go in one statement, each as it would alone", "[outbox]")
{
    const migrated database;
    auto all = orders(1'000);
    all[500] = shop.prepare(some_order(500), {.target = "billing", .delay = 1h});

    run(publish_many_orders(database.options(), all));

    CHECK(database.query("select count(*), count(distinct id), sum((payload->'number')::int), "
                         "count(target), count(*) filter (where available_at > created_at) "
                         "from core.outbox") == "1000|1000|499500|1|1");
}

TEST_CASE("no event at all is published without a statement", "[outbox]")
{
    const migrated database;

    run(publish_many_orders(database.options(), {}));

    CHECK(database.query(rows) == "0");
}

TEST_CASE("COPY takes thousands of events, delayed ones among them", "[outbox]")
{
    const migrated database;
    auto all = orders(20'000);
    all[7] = shop.prepare(some_order(7), {.delay = 1h});

    const std::size_t taken = run(copy_orders(database.options(), all));

    CHECK(taken == 20'000);
    CHECK(database.query("select count(*), sum((payload->'number')::int), "
                         "count(*) filter (where available_at > created_at) from core.outbox") ==
          "20000|199990000|1");
}

TEST_CASE("a single event notifies its channel with its id", "[outbox]")
{
    const migrated database;
    std::string id;
    const auto publish = [&]() -> pg::awaitable<void> {
        const auto all = orders(1);
        id = event::print_uuid(all.front().envelope.event_id);
        return publish_single(database.options(), all.front());
    };

    const auto heard = run(listen_to(database.options(), "outbox_gen_7", publish));

    REQUIRE(heard.size() == 1);
    CHECK(heard[0].payload == id);
}

TEST_CASE("many events wake their channel once", "[outbox]")
{
    const migrated database;
    const auto by_statement = [&] { return publish_many_orders(database.options(), orders(100)); };
    const auto by_copy = [&] { return as_void(copy_orders(database.options(), orders(100))); };

    CHECK(run(listen_to(database.options(), "outbox_gen_7", by_statement)).size() == 1);
    CHECK(run(listen_to(database.options(), "outbox_gen_7", by_copy)).size() == 1);
}
