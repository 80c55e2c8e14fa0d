#pragma once

#include <cuebox/telemetry/log.hpp>

namespace cuebox::telemetry {

// Lines for people on stderr, written at once by whoever logs: for the few that a program must not
// miss although nobody gave it a log. make_log() is for those that are many.
logger stderr_log(level at_least = level::warning);

}
