#pragma once

#include <cuebox/event/envelope.hpp>
#include <cuebox/runtime/clock.hpp>
#include <cuebox/telemetry/log.hpp>

#include <memory>
#include <stop_token>

namespace cuebox::handling {

// One event on its way to one handler.
struct arrival
{
    std::shared_ptr<const event::envelope> envelope{};
    // 1 for the first run, 2 for the first retry…
    int attempt = 1;
    // Of a leased row: a fencing token for whatever the handler talks to. Nil for a locked one.
    event::uuid claim_token{};
    // When the handler is cancelled if it has not returned by then.
    time_point deadline = time_point::max();
    // Carries the event's id and type and the handler's name.
    telemetry::logger log{};
    // For a handler that computes rather than awaits; what it awaits is cancelled by itself.
    std::stop_token stop{};
};

}
