#pragma once

#include <cuebox/runtime/report.hpp>
#include <cuebox/telemetry/log.hpp>

namespace cuebox::actors {

// What happens in a tree, as log lines: a failure and worse is an error, the rest is for debugging.
inline reporter log_reports(telemetry::logger log)
{
    return [log = std::move(log)](const report& report) {
        using enum report::kind;
        const bool bad = report.what != started && report.what != ended;
        log.log(bad ? telemetry::level::error : telemetry::level::debug, to_string(report.what),
                {{"actor", report.path}, {"detail", report.detail}});
    };
}

}
