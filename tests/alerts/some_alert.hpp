#pragma once

#include <cuebox/telemetry/alert.hpp>

namespace cuebox::alerts::test {

// A dead letter as it might come.
inline telemetry::alert some_alert(std::string last_error = "no_order: 7 is gone")
{
    return {.event_id = event::parse_uuid("019358cc-6d2b-7cc1-9f8e-0123456789ab").value(),
            .row = event::parse_uuid("019358cc-6d2b-7cc1-9f8e-ba9876543210").value(),
            .event_type = "order.placed",
            .source = "shop",
            .target = "billing",
            .handler_name = "billing.invoices",
            .last_error = std::move(last_error),
            .attempts = 5,
            .context = "billing",
            .generation = 3,
            .failed_at = event::parse_timestamp("2026-11-16T03:44:05.123456Z").value(),
            .trace = event::parse_traceparent(
                "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")};
}

}
