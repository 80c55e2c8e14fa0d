#include <cuebox/event/timestamp.hpp>
#include <cuebox/telemetry/quill_log.hpp>

#include <quill/Backend.h>
#include <quill/Frontend.h>
#include <quill/LogMacros.h>
#include <quill/Logger.h>
#include <quill/sinks/FileSink.h>
#include <quill/sinks/StreamSink.h>

#include <atomic>
#include <cstdio>

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

std::string print(const line& line, const log_options& options)
{
    const moment at = event::now();
    return options.json ? print_json(line, options.from, at) : print_text(line, at);
}

std::atomic<quill::Logger*> last_made{nullptr};

}

sink make_log(log_options options)
{
    static std::atomic<int> made{0};
    // The line is complete when it gets here; quill only carries it to its place. By default it
    // would write every byte that is not ASCII as \xC3, which is no JSON and nothing to read.
    quill::BackendOptions as_it_is;
    as_it_is.check_printable_char = {};
    // Its own pause, a tenth of a millisecond, would cost an idle process four percent of a core.
    as_it_is.sleep_duration = std::chrono::milliseconds(2);
    // What quill reports of itself, such as that a disk is full, is a line like the others.
    as_it_is.error_notifier = [options](const std::string& said) {
        const bool trouble = said.find("Quill INFO") == std::string::npos;
        const field fields[] = {{"detail", said}};
        const std::string text =
            print({trouble ? level::warning : level::info, "of the log itself", fields}, options);
        std::fputs((text + "\n").c_str(), stderr);
    };
    quill::Backend::start(as_it_is);
    auto* carrier = quill::Frontend::create_or_get_logger(
        "cuebox-" + std::to_string(made++), open_sink(options),
        quill::PatternFormatterOptions{"%(message)"});
    last_made = carrier;
    return [carrier, options = std::move(options)](const line& line) {
        LOG_INFO(carrier, "{}", print(line, options));
    };
}

void flush_log()
{
    if (auto* carrier = last_made.load())
        carrier->flush_log();
}

}
