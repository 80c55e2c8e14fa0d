#pragma once

#include "times.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace bench::outbox {

// What a workload came to.
struct figures
{
    std::int64_t events = 0;
    double seconds = 0;
    std::optional<percentiles> latency_ms{};
    std::optional<std::vector<std::int64_t>> per_second{};
};

// With bench/outbox/run, over stdin and stdout: ready, its "go", done, its "end".
void say_ready_and_wait();
void say_done_and_wait(const figures& what);

}
