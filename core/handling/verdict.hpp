#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/trace.hpp>
#include <cuebox/handling/handler_set.hpp>
#include <cuebox/handling/run_handler.hpp>

#include <optional>
#include <span>

namespace cuebox::handling {

// What one of an event's handlers did with it.
struct handler_run
{
    handler_ptr by{};
    handler_result result{};
    // It had handled the key before, and did not run.
    bool duplicate = false;
    event::timestamp began_at{};
    duration took{};
    // Its span, where one is traced.
    std::optional<event::traceparent> trace{};
};

// What becomes of the row once all of its handlers have had their turn: delivered when all have
// succeeded, released when one was told to stop, a dead letter when one failed for good, and else
// tried again, by the most patient of the policies that want it. Pure.
policy::verdict judge(std::span<const handler_run> runs, int retries_used, double jitter);

}
