#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/trace.hpp>
#include <cuebox/telemetry/log.hpp>

#include <array>
#include <functional>
#include <string>
#include <vector>

namespace cuebox::telemetry {

// A piece of work that has ended, and where it stands in its trace. OpenTelemetry's words, without
// its headers.
struct span
{
    enum class role
    {
        internal,
        producer,
        consumer
    };

    // Its own ids.
    event::traceparent context{};
    // Of the span that caused it; zeros are none.
    std::array<std::uint8_t, 8> parent{};
    std::string name{};
    role kind = role::internal;
    event::timestamp began_at{};
    event::timestamp ended_at{};
    // Empty: it succeeded.
    std::string error{};
    std::vector<field> attributes{};
};

// Where spans go. Called from any thread; it must neither wait nor throw.
using span_sink = std::function<void(const span&)>;

}
