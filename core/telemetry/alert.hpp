#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/trace.hpp>
#include <cuebox/event/uuid.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace cuebox::telemetry {

// An event has become a dead letter: somebody has to look.
struct alert
{
    event::uuid event_id{};
    // Its row, by which it is replayed: another id for a copy of a broadcast.
    event::uuid row{};
    std::string event_type{};
    std::string source{};
    // Empty: it was for everybody.
    std::string target{};
    // Whose failure it was; empty when its worker died.
    std::string handler_name{};
    std::string last_error{};
    int attempts = 0;
    // Where it happened.
    std::string context{};
    std::int64_t generation = 0;
    event::timestamp failed_at{};
    // The one that the event was published in, if any.
    std::optional<event::traceparent> trace{};
};

// Where alerts go. Called on a context's loop; it must neither wait nor throw.
using alert_sink = std::function<void(const alert&)>;

}
