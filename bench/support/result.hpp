#pragma once

#include "suite.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace bench {

struct spread
{
    double median = 0;
    double min = 0;
    double max = 0;
};

// A case and every repetition of it.
struct result
{
    bench_case measured;
    std::vector<sample> samples;

    spread million_per_second() const;
    spread nanoseconds_per_message() const;
    spread allocations_per_message() const;
};

using results = std::vector<result>;

const result* find(const results& all, std::string_view workload, std::string_view system);

// How many times faster `system` is than `peer`, by their medians; nothing if either did not run.
std::optional<double> ratio(const results& all, std::string_view workload, std::string_view system,
                            std::string_view peer);

}
