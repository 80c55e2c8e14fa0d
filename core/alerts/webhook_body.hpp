#pragma once

#include <cuebox/telemetry/alert.hpp>

#include <string>

namespace cuebox::alerts {

// What a queue holds on to: texts that JSON can hold, and no longer than an alert needs them.
telemetry::alert trim(const telemetry::alert& from);

// {"event_id":…,"event_type":…,"source":…,"target":…,"handler_name":…,"last_error":…,"attempts":…,
// "context":…,"generation":…,"failed_at":…}. Of a trimmed alert.
std::string print_webhook_body(const telemetry::alert& alert);

}
