#include <cuebox/runtime/restart_policy.hpp>

#include <algorithm>
#include <cmath>

namespace cuebox {

duration backoff::delay(std::size_t failures, double jitter) const noexcept
{
    const double longest = static_cast<double>(cap.count());
    const double grown =
        static_cast<double>(base.count()) *
        std::pow(multiplier, static_cast<double>(std::min<std::size_t>(failures, 1000)));
    const double full = std::min(longest, grown);
    return duration(static_cast<duration::rep>(full * (0.5 + 0.5 * jitter)));
}

std::optional<std::pair<std::string_view, std::string_view>> find_fault(const intensity& limit)
{
    using fault = std::pair<std::string_view, std::string_view>;
    if (limit.within <= duration{})
        return fault{"within", "must be longer than zero: restarts are counted within this time"};
    return std::nullopt;
}

std::optional<std::pair<std::string_view, std::string_view>> find_fault(const backoff& pause)
{
    using fault = std::pair<std::string_view, std::string_view>;
    if (pause.base < duration{})
        return fault{"base", "must not be negative"};
    // Not a number is refused as well.
    if (!(pause.multiplier >= 1) || !std::isfinite(pause.multiplier))
        return fault{"multiplier", "must be at least 1: pauses grow from failure to failure"};
    if (pause.cap < pause.base)
        return fault{"cap", "must be at least base, the pause before the first restart"};
    if (pause.calm < duration{})
        return fault{"calm", "must not be negative"};
    return std::nullopt;
}

bool restart_meter::record(time_point now)
{
    if (limit_.restarts == intensity::unlimited)
        return true;
    while (!recent_.empty() && now - recent_.front() > limit_.within)
        recent_.pop_front();
    recent_.push_back(now);
    return recent_.size() <= limit_.restarts;
}

std::size_t failure_streak::record(time_point now, duration calm) noexcept
{
    if (failures_ > 0 && now - last_ >= calm)
        failures_ = 0;
    last_ = now;
    return failures_++;
}

}
