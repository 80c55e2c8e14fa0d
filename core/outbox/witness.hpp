#pragma once

#include <cuebox/event/envelope.hpp>
#include <cuebox/event/trace.hpp>
#include <cuebox/telemetry/log.hpp>
#include <cuebox/telemetry/span.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace cuebox::pg {
class transaction;
}

namespace cuebox::outbox {

struct outgoing;

// Tells of events that were published: a line and a span for each, once they are committed. What is
// rolled back was never published; on a connection of the caller's own, whose commit is not ours to
// see, it is told when the statement has run. No part of a payload is told.
class witness
{
public:
    witness(telemetry::logger log, telemetry::span_sink spans)
        : log_(std::move(log)),
          spans_(std::move(spans))
    {}

    // What is known of an event until its transaction has ended.
    struct note
    {
        event::uuid event_id{};
        std::string event_type{};
        std::string source{};
        std::string target{};
        std::optional<event::uuid> domain_id{};
        std::optional<event::traceparent> trace{};
        std::array<std::uint8_t, 8> parent{};
        event::timestamp began_at{};
        event::timestamp ended_at{};
    };

    bool traces() const noexcept { return static_cast<bool>(spans_); }
    bool cares() const noexcept { return traces() || log_.says(telemetry::level::info); }
    void tell(const note& what) const;

private:
    telemetry::logger log_;
    telemetry::span_sink spans_;
};

// The event was written just now, as far as the witness of the publisher that prepared it is
// concerned; if it has one.
std::optional<witness::note> note_of(const outgoing& event);
void tell_after_commit(pg::transaction& within, const outgoing& event);

}
