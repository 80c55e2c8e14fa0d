#pragma once

#include <cuebox/config/read.hpp>
#include <cuebox/telemetry/log.hpp>

// How a log level is written in a config.
template <>
struct cuebox::config::enum_names<cuebox::telemetry::level>
{
    static constexpr std::pair<std::string_view, cuebox::telemetry::level> values[] = {
        {"debug", cuebox::telemetry::level::debug},
        {"info", cuebox::telemetry::level::info},
        {"warning", cuebox::telemetry::level::warning},
        {"error", cuebox::telemetry::level::error},
    };
};
