#include <cuebox/alerts/config.hpp>
#include <cuebox/alerts/dispatcher.hpp>
#include <cuebox/worker/instruments.hpp>
#if CUEBOX_HAS_OTEL
#include <cuebox/otel/otel.hpp>
#endif

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_future.hpp>

namespace cuebox::worker {

using telemetry::exposition;

// Whoever sends something out: alerts from a thread and a loop of their own, away from the workers;
// spans from the SDK's.
struct instruments::senders
{
    senders(const worker_config& config, const run_options& options)
        : alerts(loop,
                 alerts::read_alerts(config.alerts, {.server_name = {},
                                                     .release = options.version,
                                                     .environment = config.log.environment}),
                 {.log = options.log})
    {
#if CUEBOX_HAS_OTEL
        if (config.traces)
            spans = std::make_unique<otel::exporter>(otel::exporter_options{
                .endpoint = config.traces->endpoint,
                .headers = {config.traces->headers.begin(), config.traces->headers.end()},
                .service = config.log.service,
                .environment = config.log.environment,
                .version = options.version,
                .json = config.traces->json,
                .log = options.log});
#endif
        alerts.start();
        thread = std::thread([this] { io.run(); });
    }

    ~senders() { close(); }

    // False: it was closed before.
    bool close()
    {
        if (!thread.joinable())
            return false;
        alerts.stop();
        asio::co_spawn(io, alerts.ended(), asio::use_future).get();
        guard.reset();
        thread.join();
#if CUEBOX_HAS_OTEL
        if (spans)
            spans->stop(std::chrono::seconds(5));
#endif
        return true;
    }

    asio::io_context io{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard{io.get_executor()};
    cuebox::loop loop{io.get_executor()};
    alerts::dispatcher alerts;
    std::thread thread;
#if CUEBOX_HAS_OTEL
    std::unique_ptr<otel::exporter> spans;
#endif
};

instruments::instruments(const worker_config& config, const run_options& options)
    : where_(config.http),
      version_(options.version),
      log_(options.log),
      senders_(std::make_unique<senders>(config, options))
{}

instruments::~instruments()
{
    close();
}

void instruments::attach(context_options& options)
{
    options.metrics = &metrics_;
    options.alert = senders_->alerts.sink();
#if CUEBOX_HAS_OTEL
    if (senders_->spans)
        options.spans = senders_->spans->sink();
#endif
}

std::unique_ptr<endpoint> instruments::open_endpoint(std::vector<watched_context> contexts) const
{
    if (!where_)
        return nullptr;
    endpoint_options how{.where = {.host = where_->host, .port = where_->port},
                         .version = version_,
                         .log = log_,
                         .more = [this](exposition& out) { print_senders(out); }};
    auto opened = std::make_unique<endpoint>(std::move(how), metrics_, std::move(contexts));
    log_.info("serving /metrics, /healthz and /readyz", {{"address", opened->address()}});
    return opened;
}

void instruments::close()
{
    if (!senders_->close())
        return;
    for (const alerts::sink_counts& each : senders_->alerts.counts())
        if (const auto lost = each.dropped_for(alerts::drop_reason::stopped); lost > 0)
            log_.warning("alerts were not sent before the end: the dead letters are in the outbox",
                         {{"sink", each.name}, {"alerts", lost}});
}

void instruments::print_senders(exposition& out) const
{
    const auto counts = senders_->alerts.counts();
    out.family("cuebox_alerts_delivered_total", exposition::type::counter,
               "Alerts of dead letters that a sink took");
    for (const alerts::sink_counts& each : counts)
        out.sample({{"sink", each.name}}, static_cast<double>(each.delivered));
    out.family("cuebox_alerts_dropped_total", exposition::type::counter,
               "Alerts that a sink did not get");
    for (const alerts::sink_counts& each : counts)
        for (std::size_t i = 0; i < alerts::drop_reasons; ++i)
            out.sample(
                {{"sink", each.name}, {"reason", std::string(to_string(alerts::drop_reason(i)))}},
                static_cast<double>(each.dropped[i]));
    out.family("cuebox_alert_attempts_failed_total", exposition::type::counter,
               "Attempts to deliver an alert that came to nothing");
    for (const alerts::sink_counts& each : counts)
        out.sample({{"sink", each.name}}, static_cast<double>(each.failed));
    out.family("cuebox_alerts_waiting", exposition::type::gauge, "Alerts that wait for a sink");
    for (const alerts::sink_counts& each : counts)
        out.sample({{"sink", each.name}}, static_cast<double>(each.waiting));
#if CUEBOX_HAS_OTEL
    if (!senders_->spans)
        return;
    const otel::exporter_counts spans = senders_->spans->counts();
    out.family("cuebox_spans_total", exposition::type::counter, "Spans, exported or dropped");
    out.sample({{"result", "exported"}}, static_cast<double>(spans.exported));
    out.sample({{"result", "dropped"}}, static_cast<double>(spans.dropped));
#endif
}

}
