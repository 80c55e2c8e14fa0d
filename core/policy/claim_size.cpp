#include <cuebox/policy/claim_size.hpp>

#include <algorithm>

namespace cuebox::policy {

claim_size::claim_size(claim_limits limits) noexcept
    : limits_(limits),
      now_(std::min(limits.batch_min, limits.batch_max))
{}

void claim_size::claimed(std::size_t asked, std::size_t got) noexcept
{
    // A claim that was cut short for want of room says nothing about the backlog.
    if (got < asked) {
        full_ = false;
        now_ = std::max(now_ / 2, std::min(limits_.batch_min, limits_.batch_max));
    }
    else if (asked >= now_) {
        full_ = true;
    }
}

void claim_size::handled(std::size_t rows, std::chrono::nanoseconds took) noexcept
{
    if (rows < now_)
        return;
    if (took > limits_.batch_time)
        now_ = std::max<std::size_t>(now_ / 2, 1);
    else if (full_)
        now_ = std::min(now_ * 2, limits_.batch_max);
    full_ = false;
}

}
