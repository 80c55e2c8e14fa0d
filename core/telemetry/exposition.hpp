#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuebox::telemetry {

// What tells the series of a metric apart: {"context", "billing"}.
using labels = std::vector<std::pair<std::string, std::string>>;

// How many observations were at most so large, for each bound, and in all.
struct distribution
{
    std::span<const double> bounds{};
    // One more than there are bounds: the last is of what is larger than all of them.
    std::span<const std::uint64_t> counts{};
    double sum = 0;
};

// Prometheus's text format, written a family at a time: all samples of a family stand together.
class exposition
{
public:
    enum class type
    {
        counter,
        gauge,
        histogram
    };

    // Begins a family. Its samples follow.
    void family(std::string_view name, type type, std::string_view help);
    void sample(const labels& of, double value);
    void sample(const labels& of, const distribution& of_values);

    std::string take() && { return std::move(text_); }

private:
    void line(std::string_view suffix, const labels& of, std::string_view bound, double value);

    std::string text_;
    std::string name_;
};

}
