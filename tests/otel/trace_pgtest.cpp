#include "worker/http_receiver.hpp"
#include "worker/workshop.hpp"

#include <cuebox/event/trace.hpp>
#include <cuebox/otel/otel.hpp>
#include <cuebox/outbox/publisher.hpp>

#include <catch2/catch_test_macros.hpp>
#include <tao/json.hpp>

#include <map>

using namespace cuebox;
using namespace cuebox::worker::test;

namespace {

struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::int64_t number{};
};

pg::awaitable<void> place_order(pg::connect_options where, telemetry::span_sink spans)
{
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    const outbox::publisher publisher{
        {.source = "shop", .generation = 7, .spans = std::move(spans)}};
    const order_placed placed{.number = 7};
    co_await publisher.publish(work, placed);
    co_await work.commit();
}

// Every span that arrived, by its name.
std::map<std::string, tao::json::value> spans(const http_receiver& receiver)
{
    std::map<std::string, tao::json::value> all;
    for (const std::string& request : receiver.requests()) {
        const auto sent = tao::json::from_string(request.substr(request.find("\r\n\r\n") + 4));
        for (const auto& resource : sent.at("resourceSpans").get_array())
            for (const auto& scope : resource.at("scopeSpans").get_array())
                for (const auto& span : scope.at("spans").get_array())
                    all.emplace(span.at("name").get_string(), span);
    }
    return all;
}

}

TEST_CASE("publishing and handling arrive at a collector as one trace", "[otel]")
{
    workshop shop;
    const http_receiver collector([](const std::string&, std::size_t) { return 200; });
    const std::string url = collector.url("/v1/traces");
    const auto worker = shop.start_stock(
        {.handlers = R"({"name": "test.note", "kind": "log", "events": ["order.placed"]})",
         .process = R"("traces": {"endpoint": ")" + url + R"(", "json": true}, )"});
    otel::exporter producer({.endpoint = url, .service = "shop", .json = true});

    outbox::test::run(place_order(shop.database.options(), producer.sink()));

    REQUIRE(shop.reaches("delivered 0: 1"));
    REQUIRE(producer.force_flush(60s));
    // Stopping sends what waits.
    CHECK(worker->stop() == 0);
    const auto all = spans(collector);
    REQUIRE(all.contains("publish order.placed"));
    REQUIRE(all.contains("handle order.placed"));
    const auto& published = all.at("publish order.placed");
    const auto& handled = all.at("handle order.placed");
    CHECK(published.at("traceId") == handled.at("traceId"));
    CHECK(handled.at("parentSpanId") == published.at("spanId"));
    CHECK(handled.at("spanId") != published.at("spanId"));
    // The log names the same span.
    CHECK(contains(worker->log(), handled.at("spanId").get_string()));
    // And the row carries what links them.
    CHECK(contains(shop.database.query("select trace_context from core.outbox"),
                   published.at("spanId").get_string()));
}
