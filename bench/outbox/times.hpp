#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

namespace bench::outbox {

using steady = std::chrono::steady_clock;

std::int64_t now_ns();
double seconds_since(steady::time_point began);
void pause(std::chrono::nanoseconds time);

// In milliseconds.
struct percentiles
{
    double p50 = 0;
    double p95 = 0;
    double p99 = 0;
    double max = 0;
};
percentiles percentiles_of(std::vector<std::int64_t> nanoseconds);

}
