#pragma once

#include <cuebox/alerts/attempt.hpp>
#include <cuebox/alerts/sentry_envelope.hpp>
#include <cuebox/http/url.hpp>

#include <string>
#include <variant>

namespace cuebox::alerts {

// A line in the log.
struct log_sink
{};

// An event of a Sentry project.
struct sentry_sink
{
    dsn to{};
    sentry_origin from{};
};

// A POST of JSON.
struct webhook_sink
{
    http::url to{};
    http::headers headers{};
};

// Where alerts go, and what is done for it.
struct sink_options
{
    // In metrics and log lines.
    std::string name = "log";
    std::variant<log_sink, sentry_sink, webhook_sink> kind{};
    // How many alerts may wait, the one that is being delivered included; more are dropped.
    std::size_t capacity = 1000;
    // How long one attempt may take.
    duration timeout = std::chrono::seconds(10);
    delivery_rules rules{};
};

}
