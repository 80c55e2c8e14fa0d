// Private to this room, and not installed: what becomes of each batch. Only otel.cpp sees the SDK.
#pragma once

#include <cuebox/otel/tally.hpp>

#include <atomic>
#include <mutex>
#include <opentelemetry/sdk/common/global_log_handler.h>
#include <opentelemetry/sdk/trace/exporter.h>
#include <string_view>
#include <utility>

namespace cuebox::otel {

namespace sdk = opentelemetry::sdk;
namespace nostd = opentelemetry::nostd;

using clock = std::chrono::steady_clock;
using batch = nostd::span<std::unique_ptr<sdk::trace::Recordable>>;

// Hears what the SDK says of itself. For one, that keeps it from printing to the terminal,
// endpoints included. For another, its HTTP client says that a request failed before it says that
// the request is over, but may return the result before it has it. Who had a handler of their own
// still hears all.
class witness : public sdk::common::internal_log::LogHandler
{
public:
    using global = sdk::common::internal_log::GlobalLogHandler;
    using level = sdk::common::internal_log::LogLevel;

    static void install()
    {
        static std::once_flag once;
        std::call_once(once, [] {
            auto before = global::GetLogHandler();
            using sdk::common::internal_log::DefaultLogHandler;
            if (dynamic_cast<DefaultLogHandler*>(before.get()) != nullptr)
                before = {};
            global::SetLogHandler(nostd::shared_ptr<LogHandler>(new witness(std::move(before))));
        });
    }
    // Of the HTTP clients of this process: with several exporters, one that fails makes batches
    // that another sends in the same moment count as dropped too.
    static std::uint64_t errors() noexcept { return errors_; }

    void Handle(level level, const char* file, int line, const char* message,
                const sdk::common::AttributeMap& attributes) noexcept override
    {
        if (level == level::Error && std::string_view(message).starts_with("[OTLP HTTP Client]"))
            ++errors_;
        if (next_)
            next_->Handle(level, file, line, message, attributes);
    }

private:
    explicit witness(nostd::shared_ptr<LogHandler> next) : next_(std::move(next)) {}

    static inline std::atomic<std::uint64_t> errors_ = 0;
    nostd::shared_ptr<LogHandler> next_;
};

// Stands between the SDK's queue and its exporter, to learn what becomes of each batch: the SDK
// tells nobody.
class counting : public sdk::trace::SpanExporter
{
public:
    counting(std::unique_ptr<SpanExporter> next, tally& tally, const exporter_options& options)
        : next_(std::move(next)),
          tally_(tally),
          timeout_(options.timeout),
          log_(options.log)
    {}

    std::unique_ptr<sdk::trace::Recordable> MakeRecordable() noexcept override
    {
        return next_->MakeRecordable();
    }

    sdk::common::ExportResult Export(const batch& spans) noexcept override
    {
        const bool sent = !tally_.abandoned() && send(spans);
        tally_.settle(spans.size(), sent);
        return sent ? sdk::common::ExportResult::kSuccess : sdk::common::ExportResult::kFailure;
    }

    // The SDK's queue asks for this after each flush; requests are over when Export returns.
    bool ForceFlush(std::chrono::microseconds) noexcept override { return true; }
    bool Shutdown(std::chrono::microseconds timeout) noexcept override
    {
        return next_->Shutdown(timeout);
    }

private:
    bool send(const batch& spans) noexcept
    {
        const auto began = clock::now();
        const std::uint64_t errors = witness::errors();
        const auto result = next_->Export(spans);
        const bool late = clock::now() - began >= timeout_;
        // What is late has failed, and is let go of before the next one begins.
        if (late)
            next_->ForceFlush(timeout_);
        const bool sent =
            result == sdk::common::ExportResult::kSuccess && !late && witness::errors() == errors;
        tell(sent, spans.size());
        return sent;
    }

    // Once for each change, not for each batch.
    void tell(bool works, std::size_t spans) noexcept
    {
        if (std::exchange(works_, works) == works)
            return;
        try {
            if (works)
                log_.info("spans are exported again");
            else
                log_.warning("spans are not exported: no receiver, or it refuses",
                             {{"spans", spans}});
        }
        catch (...) {
            // Not said: the next batch says it.
            works_ = !works;
        }
    }

    std::unique_ptr<SpanExporter> next_;
    tally& tally_;
    const std::chrono::milliseconds timeout_;
    telemetry::logger log_;
    bool works_ = true;
};

}
