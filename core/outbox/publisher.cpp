#include <cuebox/event/channel.hpp>
#include <cuebox/event/check.hpp>
#include <cuebox/event/printed_size.hpp>
#include <cuebox/event/uuid.hpp>
#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/generation.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/outbox/statements.hpp>
#include <cuebox/outbox/waker.hpp>
#include <cuebox/pg/foreign.hpp>

#include <algorithm>
#include <array>
#include <set>

namespace cuebox::outbox {

namespace {

// Those of the table's CHECK, so that a wrong one is refused before the transaction sees it.
constexpr std::array<std::string_view, 3> content_classes{"standard", "personal", "audit"};

// Postgres's timestamps end in the year 294276; nobody means to wait that long.
constexpr std::chrono::microseconds delay_max = std::chrono::years(100);

// Rows without a NOTIFY of their own: one for all of them follows.
std::vector<outgoing> quieted(std::vector<outgoing> events)
{
    for (outgoing& each : events)
        each.quiet = true;
    return events;
}

std::vector<std::string> channels_of(std::span<const outgoing> events)
{
    std::set<std::string> channels;
    for (const outgoing& each : events)
        channels.insert(each.channel);
    return {channels.begin(), channels.end()};
}

void check_options(const event_options& options)
{
    if (std::ranges::find(content_classes, options.content_class) == content_classes.end())
        throw publish_error("content_class: \"" + options.content_class +
                            "\" is unknown: take standard, personal or audit");
    if (options.delay < std::chrono::microseconds(0) || options.delay > delay_max)
        throw publish_error("delay: must be between 0 and 100 years");
    if (options.generation && *options.generation < 1)
        throw publish_error("generation: " + std::to_string(*options.generation) +
                            ": generations count up from 1");
}

}

publisher::publisher(publisher_options options)
    : options_(std::move(options)),
      generation_(find_generation(options_.generation)),
      witness_(std::make_shared<const outbox::witness>(options_.log, options_.spans))
{
    if (options_.source.empty())
        throw publish_error("source: empty: name the context that publishes");
}

outgoing publisher::prepare(std::string_view type, int version, std::string payload,
                            const event_options& options) const
{
    check_options(options);
    // A double grows at most 44 times when it is written out: small payloads need no look.
    if (payload.size() > event::payload_max / 45)
        event::check_printed_size(payload);
    const auto id = event::new_event_id();
    auto trace = options.trace;
    if (!trace && options_.current_trace)
        trace = options_.current_trace();
    const auto caused_by = trace ? trace->span_id : decltype(trace->span_id){};
    if (witness_->traces())
        trace = trace ? event::child_of(*trace) : event::new_trace();
    const std::int64_t generation = options.generation.value_or(generation_);

    outgoing event{
        .envelope = {.event_id = id,
                     .event_type = std::string(type),
                     .event_version = version,
                     .occurred_at = options.occurred_at.value_or(event::now()),
                     .source = options_.source,
                     .target = options.target,
                     .domain_id = options.domain_id,
                     .payload = {std::move(payload)},
                     .idempotency_key = options.key.value_or(event::print_uuid(id)),
                     .trace_context =
                         trace ? std::optional(event::print_traceparent(*trace)) : std::nullopt},
        .content_class = options.content_class,
        .channel = event::channel_for(generation, options.processing_class),
        .generation = generation,
        .delay = options.delay,
        .quiet = options_.waker != nullptr,
        .witness = witness_->cares() ? witness_ : nullptr,
        .prepared_at = event::now(),
        .caused_by = caused_by};
    event::validate(event.envelope);
    return event;
}

outgoing publisher::prepare_json(std::string_view type, int version, std::string payload,
                                 const event_options& options) const
{
    event::check_payload(payload);
    event::check_printed_size(payload);
    return prepare(type, version, std::move(payload), options);
}

pg::awaitable<event::uuid> publisher::publish(pg::transaction& within, outgoing event) const
{
    // Prepared by a publisher with a waker, published by one without: then the row speaks for
    // itself.
    event.quiet = event.quiet && options_.waker;
    co_await within.execute(publish_one, publish_one_params(event));
    tell_after_commit(within, event);
    if (event.quiet)
        wake_after_commit(within, event.channel);
    co_return event.envelope.event_id;
}

pg::awaitable<void> publisher::publish(pg::transaction& within, std::vector<outgoing> events) const
{
    if (events.empty())
        co_return;
    events = quieted(std::move(events));
    pg::pipeline steps;
    steps.add(publish_many, publish_many_params(events));
    const auto channels = channels_of(events);
    if (!options_.waker)
        steps.add(wake_channels, channels);
    const auto outcomes = co_await within.run(std::move(steps));
    for (const pg::outcome& each : outcomes)
        each.get();
    for (const outgoing& each : events)
        tell_after_commit(within, each);
    for (const std::string& channel : channels)
        wake_after_commit(within, channel);
}

event::uuid publisher::publish(pg_conn* within, const outgoing& event) const
{
    publish(within, std::span(&event, 1));
    return event.envelope.event_id;
}

void publisher::publish(pg_conn* within, std::span<const outgoing> events) const
{
    if (!pg::foreign::in_transaction(within))
        throw publish_error("the connection has no open transaction: BEGIN one, write the business "
                            "change and publish in it, then COMMIT");
    if (events.empty())
        return;
    write(within, events);
    // Whether the caller commits is not ours to see.
    for (const outgoing& each : events)
        if (const auto note = note_of(each))
            each.witness->tell(*note);
}

void publisher::write(pg_conn* within, std::span<const outgoing> events) const
{
    if (events.size() == 1) {
        outgoing only = events.front();
        only.quiet = only.quiet && options_.waker;
        pg::foreign::execute(within, publish_one, publish_one_params(only));
        return;
    }
    const std::vector<outgoing> all = quieted({events.begin(), events.end()});
    pg::foreign::execute(within, publish_many, publish_many_params(all));
    if (!options_.waker)
        pg::foreign::execute(within, wake_channels, pg::params(std::in_place, channels_of(events)));
}

void publisher::wake(std::string_view channel) const
{
    if (options_.waker)
        options_.waker->wake(channel);
}

void publisher::wake_after_commit(pg::transaction& within, const std::string& channel) const
{
    if (options_.waker)
        within.after_commit([waker = options_.waker, channel] { waker->wake(channel); });
}

}
