#include <cuebox/policy/retry_policy.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace cuebox {

std::chrono::microseconds retry_policy::delay(int retries_used, double jitter) const noexcept
{
    using nanoseconds = std::chrono::duration<double, std::nano>;
    const nanoseconds grown = nanoseconds(base) * std::pow(multiplier, std::max(retries_used, 0));
    // Infinite, or not a number at all, is capped too.
    const nanoseconds longest = grown < nanoseconds(cap) ? grown : nanoseconds(cap);
    return std::chrono::duration_cast<std::chrono::microseconds>(longest * jitter);
}

std::optional<std::pair<std::string_view, std::string_view>> find_fault(const retry_policy& policy)
{
    using fault = std::pair<std::string_view, std::string_view>;
    if (policy.max_retries < 0)
        return fault{"max_retries", "must not be negative: 0 is no retry"};
    if (policy.base.count() < 0)
        return fault{"base", "must not be negative"};
    // Not a number is refused as well.
    if (!(policy.multiplier >= 1) || !std::isfinite(policy.multiplier))
        return fault{"multiplier", "must be at least 1: waits grow from retry to retry"};
    if (policy.cap < policy.base)
        return fault{"cap", "must be at least base, the longest wait before the first retry"};
    return std::nullopt;
}

namespace policy {

std::string_view to_string(const verdict& verdict) noexcept
{
    static constexpr std::array<std::string_view, 4> names{"delivered", "retry", "failed",
                                                           "released"};
    return names[verdict.index()];
}

verdict decide(failure why, int retries_used, const retry_policy& policy, double jitter)
{
    if (why.terminal || retries_used >= policy.max_retries)
        return dead_letter{std::move(why.reason), std::move(why.handler)};
    return retry_in{policy.delay(retries_used, jitter), std::move(why.reason),
                    std::move(why.handler)};
}

}

}
