// Private to this room, and not installed: a span as the SDK keeps it. Only otel.cpp sees the SDK.
#pragma once

#include <cuebox/event/utf8.hpp>
#include <cuebox/telemetry/span.hpp>

#include <algorithm>
#include <opentelemetry/sdk/trace/recordable.h>
#include <string>
#include <type_traits>
#include <variant>

namespace cuebox::otel {

namespace sdk = opentelemetry::sdk;
namespace api = opentelemetry::trace;
namespace nostd = opentelemetry::nostd;

inline api::SpanKind kind_of(telemetry::span::role role)
{
    switch (role) {
    case telemetry::span::role::producer:
        return api::SpanKind::kProducer;
    case telemetry::span::role::consumer:
        return api::SpanKind::kConsumer;
    case telemetry::span::role::internal:
        break;
    }
    return api::SpanKind::kInternal;
}

// Protobuf and JSON hold UTF-8 alone; an error's text may be anything.
inline std::string as_utf8(std::string_view text)
{
    std::string out;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at != end;) {
        const std::size_t length = event::utf8_length(at, end);
        if (length == 0)
            event::append_utf8(out, U'\uFFFD');
        else
            out.append(at, length);
        at += std::max<std::size_t>(length, 1);
    }
    return out;
}

inline void set(sdk::trace::Recordable& to, const telemetry::field& field)
{
    const auto with = [&](const auto& value) {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>)
            to.SetAttribute(field.key, nostd::string_view(as_utf8(value)));
        else
            to.SetAttribute(field.key, value);
    };
    std::visit(with, field.value);
}

inline void fill(sdk::trace::Recordable& to, const telemetry::span& span)
{
    to.SetIdentity({api::TraceId(span.context.trace_id), api::SpanId(span.context.span_id),
                    api::TraceFlags(span.context.flags), false},
                   api::SpanId(span.parent));
    to.SetTraceFlags(api::TraceFlags(span.context.flags));
    to.SetName(as_utf8(span.name));
    to.SetSpanKind(kind_of(span.kind));
    to.SetStartTime(opentelemetry::common::SystemTimestamp(
        std::chrono::system_clock::time_point(span.began_at)));
    // A clock that was set back in between has no say in how long it took.
    to.SetDuration(std::max(span.ended_at - span.began_at, std::chrono::microseconds(0)));
    if (!span.error.empty())
        to.SetStatus(api::StatusCode::kError, as_utf8(span.error));
    for (const telemetry::field& field : span.attributes)
        set(to, field);
}

}
