#include <cuebox/alerts/text.hpp>
#include <cuebox/alerts/webhook_body.hpp>
#include <cuebox/event/encode.hpp>

namespace cuebox::alerts {

// Its fields are what is written, in this order.
struct webhook_body
{
    event::uuid event_id;
    std::string event_type;
    std::string source;
    std::string target;
    std::string handler_name;
    std::string last_error;
    std::int64_t attempts;
    std::string context;
    std::int64_t generation;
    event::timestamp failed_at;
    // What `cuebox dlq` takes.
    event::uuid row;
    // Left out where the event is in no trace.
    std::optional<std::string> trace_id{};
    std::optional<std::string> span_id{};
};

namespace {

constexpr std::size_t name_max = 500;
constexpr std::size_t error_max = 8 * 1024;

}

telemetry::alert trim(const telemetry::alert& from)
{
    return {.event_id = from.event_id,
            .row = from.row,
            .event_type = clean(from.event_type, name_max),
            .source = clean(from.source, name_max),
            .target = clean(from.target, name_max),
            .handler_name = clean(from.handler_name, name_max),
            .last_error = clean(from.last_error, error_max),
            .attempts = from.attempts,
            .context = clean(from.context, name_max),
            .generation = from.generation,
            .failed_at = event::has_text(from.failed_at) ? from.failed_at : event::timestamp{},
            .trace = from.trace};
}

std::string print_webhook_body(const telemetry::alert& alert)
{
    webhook_body body{.event_id = alert.event_id,
                      .event_type = alert.event_type,
                      .source = alert.source,
                      .target = alert.target,
                      .handler_name = alert.handler_name,
                      .last_error = alert.last_error,
                      .attempts = alert.attempts,
                      .context = alert.context,
                      .generation = alert.generation,
                      .failed_at = alert.failed_at,
                      .row = alert.row};
    if (alert.trace) {
        body.trace_id = event::print_trace_id(*alert.trace);
        body.span_id = event::print_span_id(*alert.trace);
    }
    return event::encode(body);
}

}
