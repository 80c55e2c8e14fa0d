#include "orders.hpp"
#include "support/migrated.hpp"

#include <cuebox/event/limits.hpp>
#include <cuebox/outbox/publisher.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

using namespace cuebox;
using namespace cuebox::outbox;
using namespace cuebox::outbox::test;

namespace {

struct measured
{
    static constexpr std::string_view event_type = "probe.measured";
    static constexpr int event_version = 1;

    double value = 0;
    std::map<std::string, std::string> notes{};
};

std::string nested(std::size_t depth)
{
    std::string text = "{\"a\":";
    for (std::size_t i = 1; i < depth; ++i)
        text += "[";
    text += "1";
    for (std::size_t i = 1; i < depth; ++i)
        text += "]";
    return text + "}";
}

// Something wrong to publish, and what the refusal must name.
struct bad_input
{
    std::string_view what;
    outgoing (*prepare)(const publisher&);
    std::string_view named;
};

const bad_input bad_inputs[] = {
    {"invalid UTF-8 in a field",
     [](const publisher& by) { return by.prepare(order_placed{.number = 1, .buyer = "\xff\xfe"}); },
     "/buyer"},
    {"a NUL in a nested field",
     [](const publisher& by) {
         return by.prepare(order_placed{.lines = {{.article = std::string("a\0b", 3)}}});
     },
     "/lines/0/article"},
    {"a NUL in a map's key",
     [](const publisher& by) {
         return by.prepare(measured{.notes = {{std::string("k\0", 2), "v"}}});
     },
     "/notes"},
    {"not a number",
     [](const publisher& by) { return by.prepare(measured{.value = std::nan("")}); }, "/value"},
    {"infinity",
     [](const publisher& by) {
         return by.prepare(measured{.value = -std::numeric_limits<double>::infinity()});
     },
     "/value"},
    {"too large",
     [](const publisher& by) {
         return by.prepare(order_placed{.buyer = std::string(event::payload_max, 'x')});
     },
     "262144"},
    {"small until Postgres writes it out",
     [](const publisher& by) { return by.prepare_json("t", 1, R"({"a":[1e131071,1e131071]})"); },
     "262144"},
    {"too deep", [](const publisher& by) { return by.prepare_json("t", 1, nested(65)); }, "64"},
    {"an escaped NUL in given JSON",
     [](const publisher& by) { return by.prepare_json("t", 1, R"({"a":["\u0000"]})"); }, "/a/0"},
    {"a lone surrogate in given JSON",
     [](const publisher& by) { return by.prepare_json("t", 1, R"({"a":"\ud800"})"); }, "/a"},
    {"given text that is no JSON",
     [](const publisher& by) { return by.prepare_json("t", 1, R"({"a":)"); }, "not JSON"},
    {"given JSON that is no object",
     [](const publisher& by) { return by.prepare_json("t", 1, "[1]"); }, "object"},
    {"an empty event type", [](const publisher& by) { return by.prepare_json("", 1, "{}"); },
     "event_type"},
    {"a version below one", [](const publisher& by) { return by.prepare_json("t", 0, "{}"); },
     "event_version"},
    {"an empty target",
     [](const publisher& by) { return by.prepare(some_order(1), {.target = ""}); }, "target"},
    {"a NUL in the key",
     [](const publisher& by) { return by.prepare(some_order(1), {.key = std::string("a\0", 2)}); },
     "idempotency_key"},
    {"an endless key",
     [](const publisher& by) {
         return by.prepare(some_order(1), {.key = std::string(9'999, 'k')});
     },
     "idempotency_key"},
    {"a class that makes no channel",
     [](const publisher& by) { return by.prepare(some_order(1), {.processing_class = "Bulk!"}); },
     "class"},
    {"a class that makes the channel too long",
     [](const publisher& by) {
         return by.prepare(some_order(1), {.processing_class = std::string(60, 'c')});
     },
     "class"},
    {"a class that would make it too long at a generation with more digits",
     [](const publisher& by) {
         return by.prepare(some_order(1), {.processing_class = std::string(33, 'c')});
     },
     "at most 32"},
    {"generation zero",
     [](const publisher& by) { return by.prepare(some_order(1), {.generation = 0}); },
     "generation: 0"},
    {"a negative generation",
     [](const publisher& by) { return by.prepare(some_order(1), {.generation = -3}); },
     "generation: -3"},
    {"an unknown content class",
     [](const publisher& by) { return by.prepare(some_order(1), {.content_class = "secret"}); },
     "content_class"},
    {"a negative delay",
     [](const publisher& by) {
         return by.prepare(some_order(1), {.delay = std::chrono::seconds(-1)});
     },
     "delay"},
};

pg::awaitable<std::string> try_then_publish(pg::connect_options where, const bad_input& input)
{
    const publisher shop{{.source = "shop", .generation = 7}};
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    const order_placed order = some_order(1);
    co_await shop.publish(work, order);
    std::string refusal = "not refused";
    try {
        const outgoing event = input.prepare(shop);
        co_await shop.publish(work, event);
    }
    catch (const std::exception& refused) {
        refusal = refused.what();
    }
    const order_placed another = some_order(2);
    co_await shop.publish(work, another); // The transaction is as usable as before.
    co_await work.commit();
    co_return refusal;
}

}

TEST_CASE("bad input is refused by name, the transaction goes on, and no row is left of it",
          "[outbox]")
{
    const migrated database;
    std::size_t good = 0;

    for (const bad_input& input : bad_inputs) {
        INFO(input.what);
        const std::string refusal = run(try_then_publish(database.options(), input));
        good += 2;

        CHECK(refusal.find(input.named) != refusal.npos);
        INFO(refusal);
        CHECK(refusal != "not refused");
    }

    CHECK(database.query("select count(*) from core.outbox where event_type = 'order.placed' and "
                         "payload->>'buyer' = 'Ada'") == std::to_string(good));
    CHECK(database.query("select count(*) from core.outbox") == std::to_string(good));
}

TEST_CASE("what is just within the limits is published", "[outbox]")
{
    const migrated database;
    const publisher shop{{.source = "shop", .generation = 7}};
    const std::string largest = "{\"a\":\"" + std::string(event::payload_max - 9, 'x') + "\"}";
    REQUIRE(largest.size() == event::payload_max - 1); // Postgres prints one blank more.

    for (const std::string& payload : {largest, nested(64)}) {
        const outgoing event = shop.prepare_json("t", 1, payload);
        run([](pg::connect_options where, publisher by, outgoing what) -> pg::awaitable<void> {
            pg::connection connection = co_await pg::connect(where);
            pg::transaction work{connection};
            co_await by.publish(work, what);
            co_await work.commit();
        }(database.options(), shop, event));
    }

    CHECK(database.query("select count(*) from core.outbox") == "2");
}
