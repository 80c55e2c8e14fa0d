#include "counting.ipp"
#include "recordable.ipp"

#include <cuebox/otel/otel.hpp>

#include <opentelemetry/exporters/otlp/otlp_http_exporter_factory.h>
#include <opentelemetry/sdk/instrumentationscope/instrumentation_scope.h>
#include <opentelemetry/sdk/resource/resource.h>
#include <opentelemetry/sdk/resource/resource_detector.h>
#include <opentelemetry/sdk/trace/batch_span_processor.h>
#include <stdexcept>
#include <thread>

namespace cuebox::otel {
namespace {

namespace otlp = opentelemetry::exporter::otlp;

otlp::OtlpHttpExporterOptions transport(const exporter_options& options)
{
    // Starts from OpenTelemetry's variables.
    otlp::OtlpHttpExporterOptions to;
    if (!options.endpoint.empty())
        to.url = options.endpoint;
    if (!to.url.starts_with("http://") && !to.url.starts_with("https://"))
        throw std::invalid_argument("otel: an endpoint starts with http:// or https://");
    for (const auto& [name, value] : options.headers) {
        to.http_headers.erase(name);
        to.http_headers.emplace(name, value);
    }
    if (options.json)
        to.content_type = otlp::HttpRequestContentType::kJson;
    // As OTLP has it: camelCase names, ids in hexadecimal.
    to.use_json_name = true;
    to.json_bytes_mapping = otlp::JsonBytesMappingKind::kHexId;
    to.timeout = options.timeout;
    return to;
}

sdk::trace::BatchSpanProcessorOptions schedule(const exporter_options& options)
{
    if (options.batch_max == 0 || options.batch_max > options.queue_max)
        throw std::invalid_argument("otel: a batch has at least one span, and fits in the queue");
    if (options.timeout.count() <= 0 || options.schedule_delay.count() <= 0)
        throw std::invalid_argument("otel: timeout and schedule_delay are longer than nothing");
    sdk::trace::BatchSpanProcessorOptions to;
    to.max_queue_size = options.queue_max;
    to.max_export_batch_size = options.batch_max;
    to.schedule_delay_millis = options.schedule_delay;
    return to;
}

sdk::resource::Resource resource(const exporter_options& options)
{
    // Read anew: the SDK by itself remembers what the variables said the first time.
    auto known = sdk::resource::OTELResourceDetector().Detect().GetAttributes();
    const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty())
            known.SetAttribute(key, nostd::string_view(value));
    };
    add("service.name", options.service);
    add("service.version", options.version);
    add("deployment.environment.name", options.environment);
    return sdk::resource::Resource::Create(known);
}

}

class exporter::state
{
public:
    explicit state(exporter_options options)
        : options_(std::move(options)),
          tally_(options_.queue_max),
          resource_(resource(options_)),
          scope_(sdk::instrumentationscope::InstrumentationScope::Create("cuebox")),
          processor_(
              std::make_unique<counting>(otlp::OtlpHttpExporterFactory::Create(transport(options_)),
                                         tally_, options_),
              schedule(options_))
    {}

    void take(const telemetry::span& span) noexcept
    {
        if ((span.context.flags & api::TraceFlags::kIsSampled) == 0 || !tally_.accept())
            return;
        try {
            auto recordable = processor_.MakeRecordable();
            fill(*recordable, span);
            recordable->SetResource(resource_);
            recordable->SetInstrumentationScope(*scope_);
            // Lock-free; the tally has seen to it that there is room.
            processor_.OnEnd(std::move(recordable));
        }
        catch (...) {
            tally_.settle(1, false);
        }
    }

    // The SDK's own stop waits for the receiver, however long: it gets a thread to do so.
    bool stop(std::chrono::milliseconds within)
    {
        if (tally_.close())
            closer_ = std::thread([this] {
                processor_.Shutdown();
                tally_.end();
            });
        return tally_.wait_for_end(within);
    }

    void join()
    {
        stop(options_.timeout);
        closer_.join();
    }

    exporter_counts counts() const { return tally_.counts(); }
    bool flush(std::chrono::milliseconds within) { return tally_.wait_for_all(within); }

private:
    const exporter_options options_;
    tally tally_;
    const sdk::resource::Resource resource_;
    const nostd::unique_ptr<sdk::instrumentationscope::InstrumentationScope> scope_;
    sdk::trace::BatchSpanProcessor processor_;
    std::thread closer_;
};

exporter::exporter(exporter_options options)
{
    witness::install();
    state_ = std::make_shared<state>(std::move(options));
}

exporter::~exporter()
{
    state_->join();
}

telemetry::span_sink exporter::sink() const
{
    return [state = state_](const telemetry::span& span) { state->take(span); };
}

exporter_counts exporter::counts() const
{
    return state_->counts();
}

bool exporter::force_flush(std::chrono::milliseconds within)
{
    return state_->flush(within);
}

bool exporter::stop(std::chrono::milliseconds within)
{
    return state_->stop(within);
}

}
