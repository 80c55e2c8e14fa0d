#pragma once

#include <cuebox/telemetry/log.hpp>
#include <cuebox/telemetry/span.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace cuebox::otel {

// Where spans are sent and how. What is left empty comes from OpenTelemetry's own variables, and
// then from its defaults.
struct exporter_options
{
    // OTLP over HTTP, with its path. Empty: OTEL_EXPORTER_OTLP_TRACES_ENDPOINT as it is, or
    // OTEL_EXPORTER_OTLP_ENDPOINT with /v1/traces, or http://localhost:4318/v1/traces.
    std::string endpoint{};
    // Sent along, besides those of OTEL_EXPORTER_OTLP_HEADERS. They may be secrets: no line of any
    // log has them.
    std::vector<std::pair<std::string, std::string>> headers{};
    // Who sends: service.name, deployment.environment.name and service.version. Empty:
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES.
    std::string service{};
    std::string environment{};
    std::string version{};
    // JSON rather than protobuf.
    bool json = false;
    // For one request. A receiver that hangs keeps the destructor waiting this long, no longer.
    std::chrono::milliseconds timeout{5'000};
    // Spans in hand, those being sent included. One more is dropped.
    std::size_t queue_max = 8'192;
    // Spans in one request.
    std::size_t batch_max = 1'024;
    // The longest that a span waits for others to share its request.
    std::chrono::milliseconds schedule_delay{1'000};
    // Told once when exporting begins to fail, and once when it works again.
    telemetry::logger log{};
};

struct exporter_counts
{
    std::uint64_t exported = 0;
    // For want of room, refused or not answered by the receiver, or left over by a stop.
    std::uint64_t dropped = 0;
    std::uint64_t waiting = 0;
};

// Sends spans through the OpenTelemetry SDK, from a thread of its own, from its construction on.
class exporter
{
public:
    // Throws std::invalid_argument.
    explicit exporter(exporter_options options);
    // Stops; what is not sent within the timeout of a request is dropped.
    ~exporter();
    exporter(const exporter&) = delete;
    exporter& operator=(const exporter&) = delete;

    // Neither waits nor throws; from any thread, and still harmless when the exporter is gone.
    // Spans of a trace that is not sampled are passed over.
    telemetry::span_sink sink() const;

    // From any thread.
    exporter_counts counts() const;

    // Waits until what the sink got so far is sent or dropped; batches leave within schedule_delay.
    // False when that took longer than `within`.
    bool force_flush(std::chrono::milliseconds within);

    // Takes no more spans, sends what it has, and returns when that is done or the time is up: then
    // it drops the rest and returns false. Twice is fine.
    bool stop(std::chrono::milliseconds within);

private:
    class state;
    std::shared_ptr<state> state_;
};

}
