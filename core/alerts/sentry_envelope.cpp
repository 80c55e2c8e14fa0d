#include <cuebox/alerts/sentry_envelope.hpp>
#include <cuebox/alerts/text.hpp>
#include <cuebox/event/encode.hpp>
#include <cuebox/policy/error_class.hpp>

#include <algorithm>

namespace cuebox::alerts {

// What Sentry reads, in its words: their names are the keys.

struct sentry_envelope_header
{
    std::string event_id;
    event::timestamp sent_at;
    std::string dsn;
};

struct sentry_item_header
{
    std::string type;
    std::string content_type;
    std::int64_t length;
};

struct sentry_exception
{
    std::string type;
    std::string value;
};

struct sentry_exceptions
{
    std::vector<sentry_exception> values;
};

// It indexes these. Empty ones it would refuse.
struct sentry_tags
{
    std::optional<std::string> event_type;
    std::optional<std::string> source;
    std::optional<std::string> target;
    std::optional<std::string> handler_name;
    std::optional<std::string> context;
    std::string generation;
};

struct sentry_extra
{
    event::uuid event_id;
    std::int64_t attempts;
    std::string last_error;
    event::uuid row;
};

// By which Sentry finds the trace that the event belongs to.
struct sentry_trace
{
    std::string trace_id;
    std::string span_id;
};

struct sentry_contexts
{
    sentry_trace trace;
};

struct sentry_event
{
    std::string event_id;
    event::timestamp timestamp;
    std::string platform;
    std::string level;
    std::string logger;
    std::optional<std::string> server_name;
    std::optional<std::string> release;
    std::optional<std::string> environment;
    std::optional<sentry_contexts> contexts;
    sentry_exceptions exception;
    sentry_tags tags;
    sentry_extra extra;
    std::vector<std::string> fingerprint;
};

namespace {

// The longest value that Sentry keeps of a tag.
constexpr std::size_t tag_max = 200;

// Sentry writes ids without dashes.
std::string print_id(const event::uuid& id)
{
    std::string text = event::print_uuid(id);
    std::erase(text, '-');
    return text;
}

std::optional<std::string> tag(std::string_view value)
{
    if (value.empty())
        return std::nullopt;
    return clean(value, tag_max);
}

std::optional<sentry_contexts> contexts_of(const telemetry::alert& alert)
{
    if (!alert.trace)
        return std::nullopt;
    return sentry_contexts{.trace = {.trace_id = event::print_trace_id(*alert.trace),
                                     .span_id = event::print_span_id(*alert.trace)}};
}

}

std::string print_sentry_envelope(const telemetry::alert& alert, const dsn& to,
                                  const sentry_origin& from, const event::uuid& id,
                                  event::timestamp sent_at)
{
    const std::string type = policy::class_of(alert.last_error);
    // Failures of one cause are one issue, however many events they hit.
    const sentry_event event{.event_id = print_id(id),
                             .timestamp = alert.failed_at,
                             .platform = "native",
                             .level = "error",
                             .logger = "cuebox",
                             .server_name = tag(from.server_name),
                             .release = tag(from.release),
                             .environment = tag(from.environment),
                             .contexts = contexts_of(alert),
                             .exception = {.values = {{.type = type.empty() ? "unknown" : type,
                                                       .value = alert.last_error}}},
                             .tags = {.event_type = tag(alert.event_type),
                                      .source = tag(alert.source),
                                      .target = tag(alert.target),
                                      .handler_name = tag(alert.handler_name),
                                      .context = tag(alert.context),
                                      .generation = std::to_string(alert.generation)},
                             .extra = {.event_id = alert.event_id,
                                       .attempts = alert.attempts,
                                       .last_error = alert.last_error,
                                       .row = alert.row},
                             .fingerprint = {"cuebox", alert.handler_name, alert.event_type,
                                             cause_of(alert.last_error)}};
    const std::string payload = event::encode(event);
    const sentry_envelope_header envelope{
        .event_id = event.event_id, .sent_at = sent_at, .dsn = to.print()};
    const sentry_item_header item{.type = "event",
                                  .content_type = "application/json",
                                  .length = static_cast<std::int64_t>(payload.size())};
    return event::encode(envelope) + "\n" + event::encode(item) + "\n" + payload + "\n";
}

http::headers sentry_headers(const dsn& to)
{
    return {
        {"X-Sentry-Auth",
         "Sentry sentry_version=7, sentry_client=cuebox/" CUEBOX_VERSION ", sentry_key=" + to.key}};
}

}
