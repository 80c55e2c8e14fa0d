#pragma once

#include <cuebox/telemetry/exposition.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::telemetry {

// Counts up. To be used from any thread, as are the others.
class counter
{
public:
    void add(std::uint64_t how_many = 1) noexcept
    {
        value_.fetch_add(how_many, std::memory_order_relaxed);
    }
    std::uint64_t value() const noexcept { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

// How long things took, in buckets.
class histogram
{
public:
    // Half a millisecond to five minutes: what lies between an idle NOTIFY and a long backlog.
    static std::span<const double> default_bounds() noexcept;

    // The bounds must outlive it, and grow.
    explicit histogram(std::span<const double> bounds = default_bounds());

    void observe(std::chrono::nanoseconds took) noexcept;

    std::uint64_t count() const noexcept;
    void print(exposition& out, const labels& of) const;

private:
    std::span<const double> bounds_;
    std::vector<std::atomic<std::uint64_t>> counts_;
    // Microseconds: in nanoseconds a busy month would be too many.
    std::atomic<std::uint64_t> sum_{0};
};

// The metrics of a process. Whoever counts asks once for its series and keeps it: counting is then
// an addition. Series live as long as this does.
class metrics
{
public:
    counter& count(std::string_view name, std::string_view help, labels of = {});
    histogram& measure(std::string_view name, std::string_view help, labels of = {});

    // All families, in the order of their names.
    void print(exposition& out) const;

private:
    template <class Series>
    struct family
    {
        std::string help;
        std::map<labels, std::unique_ptr<Series>> series;
    };
    template <class Series>
    using families = std::map<std::string, family<Series>, std::less<>>;
    template <class Series>
    Series& find(families<Series>& in, std::string_view name, std::string_view help, labels of);

    mutable std::mutex mutex_;
    families<counter> counters_;
    families<histogram> histograms_;
};

}
