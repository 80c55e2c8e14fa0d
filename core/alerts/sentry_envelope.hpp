#pragma once

#include <cuebox/alerts/dsn.hpp>
#include <cuebox/http/header.hpp>
#include <cuebox/telemetry/alert.hpp>

#include <string>
#include <string_view>

namespace cuebox::alerts {

// Who sends: Sentry filters by it.
struct sentry_origin
{
    std::string server_name{};
    std::string release{};
    std::string environment{};
};

inline constexpr std::string_view sentry_content_type = "application/x-sentry-envelope";

// An envelope with one event: a line each for the envelope's header, the event's and the event. The
// id is the event's in Sentry; whoever sends an alert again gives the same, so that it counts once.
// Of a trimmed alert.
std::string print_sentry_envelope(const telemetry::alert& alert, const dsn& to,
                                  const sentry_origin& from, const event::uuid& id,
                                  event::timestamp sent_at);

// X-Sentry-Auth.
http::headers sentry_headers(const dsn& to);

}
