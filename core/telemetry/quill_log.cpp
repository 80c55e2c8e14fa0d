#include <cuebox/event/timestamp.hpp>
#include <cuebox/telemetry/quill_log.hpp>

#include <quill/Backend.h>
#include <quill/Frontend.h>
#include <quill/LogMacros.h>
#include <quill/Logger.h>
#include <quill/sinks/FileSink.h>
#include <quill/sinks/StreamSink.h>

#include <atomic>

namespace cuebox::telemetry {

namespace {

std::shared_ptr<quill::Sink> open_sink(const log_options& options)
{
    if (options.file.empty())
        return quill::Frontend::create_or_get_sink<quill::StreamSink>("cuebox-stderr", "stderr");
    quill::FileSinkConfig config;
    config.set_open_mode('a');
    return quill::Frontend::create_or_get_sink<quill::FileSink>(options.file, config);
}

std::atomic<quill::Logger*> last_made{nullptr};

}

sink make_log(log_options options)
{
    static std::atomic<int> made{0};
    quill::Backend::start();
    // The line is complete when it gets here; quill only carries it to its place.
    auto* carrier = quill::Frontend::create_or_get_logger(
        "cuebox-" + std::to_string(made++), open_sink(options),
        quill::PatternFormatterOptions{"%(message)"});
    last_made = carrier;
    return [carrier, options = std::move(options)](const line& line) {
        const moment at = event::now();
        const std::string text =
            options.json ? print_json(line, options.from, at) : print_text(line, at);
        LOG_INFO(carrier, "{}", text);
    };
}

void flush_log()
{
    if (auto* carrier = last_made.load())
        carrier->flush_log();
}

}
