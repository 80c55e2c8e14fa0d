#include <cuebox/policy/reconnect.hpp>

#include <algorithm>

namespace cuebox::policy {

std::chrono::nanoseconds reconnect::failed(time now, double jitter) noexcept
{
    if (failures_ == 0)
        down_since_ = now;
    // 2^20 times the base is past any cap.
    const auto grown = limits_.base * (std::int64_t{1} << std::min<std::size_t>(failures_, 20));
    ++failures_;
    const auto wait = std::min<std::chrono::nanoseconds>(grown, limits_.cap);
    return std::chrono::duration_cast<std::chrono::nanoseconds>(wait * (1 - jitter / 5));
}

void reconnect::succeeded() noexcept
{
    failures_ = 0;
}

bool reconnect::polling(time now) const noexcept
{
    return failures_ > 0 && now - down_since_ >= limits_.cap;
}

}
