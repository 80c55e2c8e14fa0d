#include <cuebox/event/uuid.hpp>
#include <cuebox/outbox/outgoing.hpp>
#include <cuebox/outbox/witness.hpp>
#include <cuebox/pg/transaction.hpp>
#include <cuebox/telemetry/trace_fields.hpp>

namespace cuebox::outbox {

std::optional<witness::note> note_of(const outgoing& event)
{
    if (!event.witness || !event.witness->cares())
        return std::nullopt;
    const event::envelope& envelope = event.envelope;
    return witness::note{.event_id = envelope.event_id,
                         .event_type = envelope.event_type,
                         .source = envelope.source,
                         .target = envelope.target.value_or(""),
                         .domain_id = envelope.domain_id,
                         .trace = envelope.trace_context
                                      ? event::parse_traceparent(*envelope.trace_context)
                                      : std::nullopt,
                         .parent = event.caused_by,
                         .began_at = event.prepared_at,
                         .ended_at = event::now()};
}

void tell_after_commit(pg::transaction& within, const outgoing& event)
{
    if (auto note = note_of(event))
        within.after_commit([to = event.witness, what = std::move(*note)] { to->tell(what); });
}

void witness::tell(const note& what) const
{
    const std::string event_id = event::print_uuid(what.event_id);
    const std::string domain = what.domain_id ? event::print_uuid(*what.domain_id) : std::string{};
    telemetry::with_trace(log_, what.trace)
        .info("published", {{"event_id", event_id},
                            {"event_type", what.event_type},
                            {"source", what.source},
                            {"target", what.target},
                            {"domain_id", domain}});
    if (!spans_ || !what.trace)
        return;
    spans_({.context = *what.trace,
            .parent = what.parent,
            .name = "publish " + what.event_type,
            .kind = telemetry::span::role::producer,
            .began_at = what.began_at,
            .ended_at = what.ended_at,
            .error = {},
            .attributes = {{"messaging.system", "cuebox"},
                           {"messaging.operation", "publish"},
                           {"messaging.message.id", event_id},
                           {"cuebox.event_type", what.event_type},
                           {"cuebox.source", what.source},
                           {"cuebox.target", what.target}}});
}

}
