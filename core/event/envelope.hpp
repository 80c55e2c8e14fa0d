#pragma once

#include <cuebox/event/encode.hpp>
#include <cuebox/event/error.hpp>
#include <cuebox/event/typed_payload.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace cuebox::event {

// Texts are kept in indexes and printed in every log line.
inline constexpr std::size_t name_max = 255;
inline constexpr std::size_t idempotency_key_max = 512;

// What carries an event. A value: once validated it is handed on as const, and never changed.
struct envelope
{
    uuid event_id{};
    std::string event_type;
    int event_version = 1;
    timestamp occurred_at{};
    // The producing context.
    std::string source;
    // The one context it is for; none is everyone who listens.
    std::optional<std::string> target;
    // The tenant or domain.
    std::optional<uuid> domain_id;
    raw_json payload{"{}"};
    // Two events with one key are the same to a handler.
    std::string idempotency_key;
    // W3C traceparent of whoever published it.
    std::optional<std::string> trace_context;

    bool operator==(const envelope&) const = default;
};

// Throws an envelope_error that names the first field which is not as it has to be. The payload is
// not looked at: encode has checked it, or check_payload does.
void validate(const envelope& envelope);

// A new event: a new id, which is also its idempotency key, and the time it is now.
template <typed_payload T>
envelope wrap(const T& payload, std::string source)
{
    const auto id = new_event_id();
    return {.event_id = id,
            .event_type = std::string{T::event_type},
            .event_version = T::event_version,
            .occurred_at = now(),
            .source = std::move(source),
            .target = {},
            .domain_id = {},
            .payload = {encode(payload)},
            .idempotency_key = print_uuid(id),
            .trace_context = {}};
}

// As one line of JSON, in which the payload is an object like any other. Both ways everything is
// validated, the payload too: a payload_error names a place in the payload or a field of another
// type, an envelope_error a field with the wrong content.
std::string encode(const envelope& envelope);
envelope decode_envelope(std::string_view json);

}
