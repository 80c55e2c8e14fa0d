#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/uuid.hpp>
#include <cuebox/outbox/statements.hpp>

namespace cuebox::outbox {

// The casts let clients that send text run the same statement.
const pg::statement publish_one{.name = "publish", .sql = R"(
insert into core.outbox (id, event_type, event_version, occurred_at, source, target, content_class,
    channel, generation, domain_id, payload, idempotency_key, trace_context, available_at, quiet)
values ($1::uuid, $2::text, $3::int, $4::timestamptz, $5::text, $6::text, $7::text,
    $8::text, $9::bigint, $10::uuid, $11::jsonb, $12::text, $13::text, now() + $14::interval,
    $15::boolean))"};

// Unnested side by side in the select list rather than in FROM, where each array would be copied
// into a tuple store of its own first: an eighth less work for the server.
const pg::statement publish_many{.name = "publish many", .sql = R"(
insert into core.outbox (id, event_type, event_version, occurred_at, source, target, content_class,
    channel, generation, domain_id, payload, idempotency_key, trace_context, available_at, quiet)
select unnest($1::uuid[]), unnest($2::text[]), unnest($3::int[]), unnest($4::timestamptz[]),
    unnest($5::text[]), unnest($6::text[]), unnest($7::text[]), unnest($8::text[]),
    unnest($9::bigint[]), unnest($10::uuid[]), unnest($11::jsonb[]), unnest($12::text[]),
    unnest($13::text[]), now() + unnest($14::interval[]), unnest($15::boolean[]))"};

const pg::statement publish_copy{.name = "publish by copy", .sql = R"(
copy core.outbox (id, event_type, event_version, occurred_at, source, target, content_class,
    channel, generation, domain_id, payload, idempotency_key, trace_context, available_at, quiet)
from stdin (format binary))"};

const pg::statement wake_channels{.name = "wake", .sql = R"(
select pg_notify(channel, '') from unnest($1::text[]) as channel)"};

// A NOTIFY makes its transaction one that writes, so its commit would be flushed, behind the lock
// that all that notify queue for. A wake that a crash loses costs one safety poll.
const pg::statement wake_at_once{.name = "wake at once", .sql = R"(
select pg_notify(channel, ''), set_config('synchronous_commit', 'off', true)
from unnest($1::text[]) as channel)"};

pg::params publish_one_params(const outgoing& event)
{
    const auto& envelope = event.envelope;
    return pg::params(std::in_place, envelope.event_id, envelope.event_type,
                      static_cast<std::int32_t>(envelope.event_version), envelope.occurred_at,
                      envelope.source, envelope.target, event.content_class, event.channel,
                      event.generation, envelope.domain_id, pg::json{envelope.payload.text},
                      envelope.idempotency_key, envelope.trace_context, event.delay, event.quiet);
}

pg::params publish_many_params(std::span<const outgoing> events)
{
    // One column: the same member of every event.
    pg::params columns;
    const auto column = [&columns, events](auto member) {
        std::vector<decltype(member(events.front()))> values;
        values.reserve(events.size());
        for (const outgoing& each : events)
            values.push_back(member(each));
        columns.add(values);
    };
    using text = std::string_view;
    const auto optional_text = [](const std::optional<std::string>& from) {
        return from ? std::optional<text>(*from) : std::nullopt;
    };
    column([](const outgoing& e) { return e.envelope.event_id; });
    column([](const outgoing& e) { return text(e.envelope.event_type); });
    column([](const outgoing& e) { return static_cast<std::int32_t>(e.envelope.event_version); });
    column([](const outgoing& e) { return e.envelope.occurred_at; });
    column([](const outgoing& e) { return text(e.envelope.source); });
    column([&](const outgoing& e) { return optional_text(e.envelope.target); });
    column([](const outgoing& e) { return text(e.content_class); });
    column([](const outgoing& e) { return text(e.channel); });
    column([](const outgoing& e) { return e.generation; });
    column([](const outgoing& e) { return e.envelope.domain_id; });
    column([](const outgoing& e) { return pg::json{e.envelope.payload.text}; });
    column([](const outgoing& e) { return text(e.envelope.idempotency_key); });
    column([&](const outgoing& e) { return optional_text(e.envelope.trace_context); });
    column([](const outgoing& e) { return e.delay; });
    column([](const outgoing& e) { return e.quiet; });
    return columns;
}

portable_statement as_text(const outgoing& event)
{
    const auto& envelope = event.envelope;
    const auto domain =
        envelope.domain_id ? std::optional(event::print_uuid(*envelope.domain_id)) : std::nullopt;
    return {.sql = publish_one.sql,
            .values = {event::print_uuid(envelope.event_id), envelope.event_type,
                       std::to_string(envelope.event_version),
                       event::print_timestamp(envelope.occurred_at), envelope.source,
                       envelope.target, event.content_class, event.channel,
                       std::to_string(event.generation), domain, envelope.payload.text,
                       envelope.idempotency_key, envelope.trace_context,
                       std::to_string(event.delay.count()) + " microseconds",
                       event.quiet ? "true" : "false"}};
}

}
