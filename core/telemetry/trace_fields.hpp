#pragma once

#include <cuebox/event/trace.hpp>
#include <cuebox/telemetry/log.hpp>

#include <optional>

namespace cuebox::telemetry {

// The same with trace_id and span_id in every line, if there is a trace.
inline logger with_trace(const logger& log, const std::optional<event::traceparent>& trace)
{
    if (!trace)
        return log;
    return log.with(
        {{"trace_id", event::print_trace_id(*trace)}, {"span_id", event::print_span_id(*trace)}});
}

}
