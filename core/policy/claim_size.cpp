#include <cuebox/policy/claim_size.hpp>

#include <algorithm>

namespace cuebox::policy {

claim_size::claim_size(claim_limits limits) noexcept
    : limits_(limits),
      now_(std::min(limits.batch_min, limits.batch_max))
{}

void claim_size::claimed(std::size_t asked, std::size_t got) noexcept
{
    full_ = got >= asked;
    asked_ = asked;
    if (!full_)
        now_ = std::max(now_ / 2, std::min(limits_.batch_min, limits_.batch_max));
}

void claim_size::handled(std::size_t rows, std::chrono::nanoseconds took) noexcept
{
    // Less than was asked for is no measure; what was asked for may be less than this for want of
    // room, and there is room for more where rows are handled fast.
    if (rows < std::min(now_, asked_))
        return;
    if (took > limits_.batch_time)
        now_ = std::max<std::size_t>(now_ / 2, 1);
    else if (full_)
        now_ = std::min(now_ * 2, limits_.batch_max);
    full_ = false;
}

}
