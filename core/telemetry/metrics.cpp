#include <cuebox/telemetry/metrics.hpp>

#include <algorithm>
#include <array>

namespace cuebox::telemetry {

namespace {

constexpr std::array steps{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1,  0.25,
                           0.5,    1.0,   2.5,    5.0,   10.0, 30.0,  60.0, 300.0};

}

std::span<const double> histogram::default_bounds() noexcept
{
    return steps;
}

histogram::histogram(std::span<const double> bounds) : bounds_(bounds), counts_(bounds.size() + 1)
{}

void histogram::observe(std::chrono::nanoseconds took) noexcept
{
    const double seconds = std::chrono::duration<double>(took).count();
    const auto bucket = std::ranges::lower_bound(bounds_, seconds) - bounds_.begin();
    counts_[static_cast<std::size_t>(bucket)].fetch_add(1, std::memory_order_relaxed);
    const auto micros = std::chrono::duration_cast<std::chrono::microseconds>(took).count();
    sum_.fetch_add(static_cast<std::uint64_t>(std::max<std::int64_t>(micros, 0)),
                   std::memory_order_relaxed);
}

std::uint64_t histogram::count() const noexcept
{
    std::uint64_t all = 0;
    for (const auto& each : counts_)
        all += each.load(std::memory_order_relaxed);
    return all;
}

void histogram::print(exposition& out, const labels& of) const
{
    std::vector<std::uint64_t> counts;
    for (const auto& each : counts_)
        counts.push_back(each.load(std::memory_order_relaxed));
    const auto sum = static_cast<double>(sum_.load(std::memory_order_relaxed)) / 1e6;
    out.sample(of, distribution{.bounds = bounds_, .counts = counts, .sum = sum});
}

template <class Series>
Series& metrics::find(families<Series>& in, std::string_view name, std::string_view help, labels of)
{
    const std::lock_guard lock(mutex_);
    auto at = in.find(name);
    if (at == in.end())
        at = in.emplace(name, family<Series>{.help = std::string(help), .series = {}}).first;
    auto& series = at->second.series[std::move(of)];
    if (!series)
        series = std::make_unique<Series>();
    return *series;
}

counter& metrics::count(std::string_view name, std::string_view help, labels of)
{
    return find(counters_, name, help, std::move(of));
}

histogram& metrics::measure(std::string_view name, std::string_view help, labels of)
{
    return find(histograms_, name, help, std::move(of));
}

void metrics::print(exposition& out) const
{
    const std::lock_guard lock(mutex_);
    for (const auto& [name, family] : counters_) {
        out.family(name, exposition::type::counter, family.help);
        for (const auto& [of, series] : family.series)
            out.sample(of, static_cast<double>(series->value()));
    }
    for (const auto& [name, family] : histograms_) {
        out.family(name, exposition::type::histogram, family.help);
        for (const auto& [of, series] : family.series)
            series->print(out, of);
    }
}

}
