#include "running_context.hpp"

#include <cuebox/event/trace.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors::test;

namespace {

struct parcel_wanted
{
    static constexpr std::string_view event_type = "parcel.wanted";
    static constexpr int event_version = 1;

    std::int64_t number{};
};

// Spans from wherever they come.
class collector
{
public:
    telemetry::span_sink sink()
    {
        return [this](const telemetry::span& span) {
            const std::lock_guard lock{mutex_};
            spans_.push_back(span);
        };
    }
    telemetry::span find(std::string_view name)
    {
        const std::lock_guard lock{mutex_};
        const auto found = std::ranges::find(spans_, name, &telemetry::span::name);
        REQUIRE(found != spans_.end());
        return *found;
    }

private:
    std::mutex mutex_;
    std::vector<telemetry::span> spans_;
};

// A handler that publishes, in the trace it was called in.
struct shipping
{
    outbox::publisher publisher;

    awaitable<void> ship(delivery<order_placed> order, pg::transaction& work) const
    {
        outbox::event_options in_trace;
        in_trace.trace = order.trace();
        const parcel_wanted parcel{.number = order->number};
        co_await publisher.publish(work, parcel, in_trace);
    }
};

awaitable<void> pack(delivery<parcel_wanted> parcel)
{
    if (parcel.attempt() == 1)
        throw std::runtime_error("out of boxes");
    co_return;
}

pg::awaitable<void> place(pg::connect_options where, telemetry::span_sink spans)
{
    const outbox::publisher publisher{
        {.source = "shop", .generation = 7, .spans = std::move(spans)}};
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    const order_placed placed{.number = 7, .buyer = "ada"};
    co_await publisher.publish(work, placed);
    co_await work.commit();
}

}

TEST_CASE("a trace goes from who published through handlers to what they cause", "[actors]")
{
    const migrated database;
    collector spans;
    const shipping department{
        outbox::publisher{{.source = "shipping", .generation = 7, .spans = spans.sink()}}};
    ledger book;
    registry handlers;
    handlers.on<order_placed>("billing.ship",
                              [&](delivery<order_placed> order, pg::transaction& work) {
                                  return department.ship(std::move(order), work);
                              });
    constexpr retry_policy quick{
        .max_retries = 3, .base = std::chrono::milliseconds(1), .multiplier = 1};
    handlers.on<parcel_wanted>("billing.pack", &pack, {.retry = quick});
    auto how = running_context::options(database);
    how.spans = spans.sink();
    running_context billing(database, handlers, book, std::move(how));
    billing.wait_until_listening();

    outbox::test::run(place(database.options(), spans.sink()));

    REQUIRE(book.wait([](const ledger& all) { return all.count("delivered") == 2; }));
    billing.stop();
    const auto placed = spans.find("publish order.placed");
    const auto shipped = spans.find("handle order.placed");
    const auto wanted = spans.find("publish parcel.wanted");
    const auto packed = spans.find("handle parcel.wanted");
    CHECK(placed.parent == decltype(placed.parent){});
    CHECK(shipped.parent == placed.context.span_id);
    CHECK(wanted.parent == shipped.context.span_id);
    CHECK(packed.parent == wanted.context.span_id);
    for (const auto* each : {&shipped, &wanted, &packed})
        CHECK(each->context.trace_id == placed.context.trace_id);
    CHECK(shipped.error.empty());
    CHECK(packed.error == "runtime_error: out of boxes"); // The first of its two runs.
}
