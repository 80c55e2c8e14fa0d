#include "orders.hpp"

#include <cuebox/event/timestamp.hpp>
#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/outbox/statements.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

using namespace cuebox;
using namespace cuebox::outbox;
using namespace cuebox::outbox::test;
using namespace std::chrono_literals;

TEST_CASE("an event is stamped with id, key, time, generation and channel", "[outbox]")
{
    const publisher publisher{{.source = "shop", .generation = 7}};
    const auto before = event::now();

    const outgoing event = publisher.prepare(some_order(12));

    CHECK(event.envelope.event_type == "order.placed");
    CHECK(event.envelope.event_version == 2);
    CHECK(event.envelope.source == "shop");
    CHECK(event.envelope.target == std::nullopt);
    CHECK(event.envelope.idempotency_key == event::print_uuid(event.envelope.event_id));
    CHECK(event.envelope.occurred_at >= before);
    CHECK(event.envelope.occurred_at <= event::now());
    CHECK(event.envelope.payload.text ==
          R"({"number":12,"buyer":"Ada","lines":[{"article":"tea","count":3}]})");
    CHECK(event.generation == 7);
    CHECK(event.channel == "outbox_gen_7");
    CHECK_FALSE(event.quiet);
}

TEST_CASE("what a producer says about an event is kept", "[outbox]")
{
    const publisher publisher{{.source = "shop", .generation = 7}};
    const auto domain = *event::parse_uuid("11111111-2222-4333-8444-555555555555");

    const outgoing event = publisher.prepare(some_order(1), {.target = "billing",
                                                             .key = "order-1",
                                                             .domain_id = domain,
                                                             .processing_class = "bulk",
                                                             .delay = 90s,
                                                             .content_class = "audit",
                                                             .generation = 8});

    CHECK(event.envelope.target == "billing");
    CHECK(event.envelope.idempotency_key == "order-1");
    CHECK(event.envelope.domain_id == domain);
    CHECK(event.channel == "outbox_gen_8_bulk");
    CHECK(event.generation == 8);
    CHECK(event.delay == 90s);
    CHECK(event.content_class == "audit");
}

TEST_CASE("the trace that is current where an event is published goes with it", "[outbox]")
{
    const auto current = event::new_trace();
    const publisher publisher{
        {.source = "shop", .generation = 7, .current_trace = [current] { return current; }}};
    const auto other = event::new_trace();

    const outgoing stamped = publisher.prepare(some_order(1));
    const outgoing given = publisher.prepare(some_order(1), {.trace = other});

    CHECK(stamped.envelope.trace_context == event::print_traceparent(current));
    CHECK(given.envelope.trace_context == event::print_traceparent(other));
}

TEST_CASE("a publisher without a source is refused", "[outbox]")
{
    CHECK_THROWS_AS(publisher({.generation = 7}), publish_error);
}

TEST_CASE("an event for a generation that cannot be is refused by the field's name", "[outbox]")
{
    const publisher publisher{{.source = "shop", .generation = 7}};

    for (const std::int64_t generation : {0, -1}) {
        const event_options options{.generation = generation};
        CHECK_THROWS_AS(publisher.prepare(some_order(1), options), publish_error);
    }
    const event_options options{.generation = 0};
    CHECK_THROWS_WITH(publisher.prepare(some_order(1), options),
                      "generation: 0: generations count up from 1");
}

TEST_CASE("any client can run an event as SQL and texts", "[outbox]")
{
    const publisher publisher{{.source = "shop", .generation = 7}};
    const outgoing event = publisher.prepare(some_order(1), {.delay = 1500ms});

    const portable_statement statement = as_text(event);

    REQUIRE(statement.values.size() == 15);
    CHECK(statement.sql.find("$15") != statement.sql.npos);
    CHECK(statement.sql.find("$16") == statement.sql.npos);
    CHECK(statement.values[0] == event::print_uuid(event.envelope.event_id));
    CHECK(statement.values[5] == std::nullopt);
    CHECK(statement.values[10] == event.envelope.payload.text);
    CHECK(statement.values[13] == "1500000 microseconds");
    CHECK(statement.values[14] == "false");
}
