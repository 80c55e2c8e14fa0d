#pragma once

#include <cuebox/event/envelope.hpp>
#include <cuebox/event/trace.hpp>
#include <cuebox/runtime/awaitable.hpp>
#include <cuebox/runtime/clock.hpp>
#include <cuebox/runtime/offload.hpp>
#include <cuebox/telemetry/log.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

namespace cuebox::outbox {
class locked_batch;
}

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
    // The span of this run, a child of the one that published; none where nothing is traced.
    std::optional<event::traceparent> trace{};
    // Carries the event's id and type and the handler's name.
    telemetry::logger log{};
    // For a handler that computes rather than awaits; what it awaits is cancelled by itself.
    std::stop_token stop{};
    // For a leased handler: opens a transaction of its own. Empty for a transactional one, which
    // has the one it is in.
    using opener = std::function<awaitable<std::unique_ptr<outbox::locked_batch>>()>;
    std::shared_ptr<const opener> begin{};
    // Threads for what blocks or computes. They outlive the run.
    offload_pool* threads = nullptr;
};

}
