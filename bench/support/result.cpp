#include "result.hpp"

#include <algorithm>

namespace bench {
namespace {

spread spread_of(const std::vector<sample>& samples, double (sample::*figure)() const)
{
    std::vector<double> values;
    for (const auto& each : samples)
        values.push_back((each.*figure)());
    if (values.empty())
        return {};
    std::ranges::sort(values);
    const auto middle = values.size() / 2;
    const auto median =
        values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
    return {.median = median, .min = values.front(), .max = values.back()};
}

}

spread result::million_per_second() const
{
    return spread_of(samples, &sample::million_per_second);
}

spread result::nanoseconds_per_message() const
{
    return spread_of(samples, &sample::nanoseconds_per_message);
}

spread result::allocations_per_message() const
{
    return spread_of(samples, &sample::allocations_per_message);
}

const result* find(const results& all, std::string_view workload, std::string_view system)
{
    const auto found = std::ranges::find_if(all, [&](const result& each) {
        return each.measured.workload == workload && each.measured.system == system;
    });
    return found == all.end() ? nullptr : &*found;
}

std::optional<double> ratio(const results& all, std::string_view workload, std::string_view system,
                            std::string_view peer)
{
    const auto* ours = find(all, workload, system);
    const auto* theirs = find(all, workload, peer);
    if (ours == nullptr || theirs == nullptr)
        return std::nullopt;
    return ours->million_per_second().median / theirs->million_per_second().median;
}

}
