#include "orders.hpp"
#include "support/canary.hpp"
#include "support/migrated.hpp"

#include <cuebox/event/uuid.hpp>
#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/publisher.hpp>

#include <catch2/catch_test_macros.hpp>

#include <map>

using namespace cuebox;
using namespace cuebox::outbox;
using namespace cuebox::outbox::test;

namespace {

enum class ending
{
    commit,
    rollback
};
enum class way
{
    one_by_one,
    together,
    by_copy
};

// A publisher that is listened to.
struct heard
{
    std::vector<std::map<std::string, std::string>> lines;
    std::vector<telemetry::span> spans;

    publisher_options options(bool traced)
    {
        publisher_options how{.source = "shop", .generation = 7};
        how.log = telemetry::logger([this](const telemetry::line& line) {
            auto& kept = lines.emplace_back();
            kept["message"] = line.message;
            for (const telemetry::field& each : line.fields)
                if (const auto* text = std::get_if<std::string>(&each.value))
                    kept[each.key] = *text;
        });
        if (traced)
            how.spans = [this](const telemetry::span& span) { spans.push_back(span); };
        return how;
    }
};

order_placed secret_order()
{
    return {.number = 1, .buyer = std::string(cuebox::test::canary::payload)};
}

pg::awaitable<void> publish_two(pg::connect_options where, publisher_options how, way by,
                                ending end, event_options options)
{
    const publisher shop{std::move(how)};
    std::vector<outgoing> both{shop.prepare(secret_order(), options),
                               shop.prepare(secret_order(), options)};
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    if (by == way::together)
        co_await shop.publish(work, both);
    if (by == way::one_by_one)
        for (const outgoing& each : both)
            co_await shop.publish(work, each);
    if (by == way::by_copy) {
        auto copy = co_await bulk::start(work);
        for (const outgoing& each : both)
            co_await copy.add(each);
        co_await copy.finish();
    }
    if (end == ending::commit)
        co_await work.commit();
    else
        co_await work.rollback();
}

}

TEST_CASE("every event that was committed is told of once, whichever way it went", "[outbox]")
{
    const migrated database;
    for (const way by : {way::one_by_one, way::together, way::by_copy}) {
        heard told;
        event_options options{.target = "billing"};
        options.domain_id = event::new_event_id();

        run(publish_two(database.options(), told.options(false), by, ending::commit, options));

        REQUIRE(told.lines.size() == 2);
        for (const auto& line : told.lines) {
            CHECK(line.at("message") == "published");
            CHECK(database.query("select event_type || ' ' || source || ' ' || target || ' ' || "
                                 "domain_id from core.outbox where id = '" +
                                 line.at("event_id") + "'") ==
                  line.at("event_type") + " " + line.at("source") + " " + line.at("target") + " " +
                      line.at("domain_id"));
            for (const auto& [key, value] : line)
                CHECK_FALSE(cuebox::test::canary::heard(value));
        }
        CHECK(told.lines[0].at("event_id") != told.lines[1].at("event_id"));
    }
}

TEST_CASE("what is rolled back was never published, and is not told of", "[outbox]")
{
    const migrated database;
    for (const way by : {way::one_by_one, way::together, way::by_copy}) {
        heard told;

        run(publish_two(database.options(), told.options(true), by, ending::rollback, {}));

        CHECK(told.lines.empty());
        CHECK(told.spans.empty());
    }
}

TEST_CASE("publishing opens a span in the current trace and writes it into the row", "[outbox]")
{
    const migrated database;
    heard told;
    const event::traceparent current = event::new_trace();
    event_options options;
    options.trace = current;

    run(publish_two(database.options(), told.options(true), way::one_by_one, ending::commit,
                    options));

    REQUIRE(told.spans.size() == 2);
    for (const telemetry::span& each : told.spans) {
        CHECK(each.context.trace_id == current.trace_id);
        CHECK(each.parent == current.span_id);
        CHECK(each.context.span_id != current.span_id);
        CHECK(each.name == "publish order.placed");
        CHECK(each.kind == telemetry::span::role::producer);
        CHECK(each.ended_at >= each.began_at);
        CHECK(database.query("select count(*) from core.outbox where trace_context = '" +
                             event::print_traceparent(each.context) + "'") == "1");
    }
    CHECK(told.lines[0].at("span_id") ==
          event::print_traceparent(told.spans[0].context).substr(36, 16));
}

TEST_CASE("where nobody takes spans, an event carries the current trace as it is", "[outbox]")
{
    const migrated database;
    heard told;
    event_options options;
    options.trace = event::new_trace();

    run(publish_two(database.options(), told.options(false), way::together, ending::commit,
                    options));

    CHECK(database.query("select count(*) from core.outbox where trace_context = '" +
                         event::print_traceparent(*options.trace) + "'") == "2");
}
