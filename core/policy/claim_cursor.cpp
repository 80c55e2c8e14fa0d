#include <cuebox/policy/claim_cursor.hpp>

#include <algorithm>

namespace cuebox::policy {

namespace {

constexpr int full_share = 20; // A full claim may take a twentieth of the time.

// Producers that write side by side commit in another order than they began in, by so much as a
// rule.
constexpr std::chrono::milliseconds overlap{20};

// A deep claim goes back by this, when nothing was found for a moment, and may take a tenth of the
// time.
constexpr std::chrono::milliseconds deep_overlap{250};
constexpr std::chrono::milliseconds quiet{10};
constexpr int deep_share = 10;

}

claim_bounds claim_cursor::next(time now, bool may_look) const noexcept
{
    if (may_look && full_due_ && now >= full_at_)
        return {.from = floor_, .due_from = event::timestamp::min(), .full = true};
    const bool deep = wants_deep() && now >= deep_at_;
    // Above the floor there is something to subtract from: before the first row there is not.
    const bool goes_back = at_end_ && position_ > floor_;
    const auto back = deep ? deep_overlap : overlap;
    const auto from = goes_back ? std::max(floor_, position_ - back) : position_;
    return {.from = from, .due_from = due_position_, .full = false, .deep = deep};
}

void claim_cursor::asked(const claim_bounds& bounds) noexcept
{
    if (bounds.deep)
        deep_due_ = false;
    if (!bounds.full)
        return;
    full_due_ = false;
    full_at_ = time::max(); // One at a time: the others go on with what comes in.
}

void claim_cursor::failed(time now) noexcept
{
    full_due_ = true;
    full_at_ = now;
}

void claim_cursor::claimed(const claim_bounds& bounds, const claim_reach& reach, time now) noexcept
{
    if (bounds.full) {
        full_at_ = now + reach.took * full_share;
        // It may have found rows far below: they are worked off from there. One that came back
        // short has taken all there were.
        const bool more = reach.got >= reach.asked;
        position_ = std::max(more ? floor_ : position_, reach.ordinary);
        due_position_ = reach.due;
    }
    else {
        // As many as were asked for, behind where claims had got to: there may be more of them.
        const bool back = bounds.deep && reach.got >= reach.asked;
        position_ = std::max(back ? bounds.from : position_, reach.ordinary);
        due_position_ = std::max(due_position_, reach.due);
    }
    at_end_ = reach.got < reach.asked;
    // Where something was there may be more of it, committed later though made earlier.
    deep_due_ = deep_due_ || reach.got > 0;
    if (bounds.deep)
        deep_at_ = now + std::max<time>(reach.took * deep_share, quiet);
    else if (reach.got > 0)
        deep_at_ = std::max(deep_at_, now + quiet);
    if (!at_end_)
        return;
    // A quick claim that came back short has reached the end; what it passed by is next. A full one
    // has seen all there is.
    if (!bounds.full)
        full_due_ = true;
}

bool claim_cursor::set_floor(event::timestamp floor) noexcept
{
    const bool back = floor < floor_;
    floor_ = floor;
    position_ = std::max(position_, floor);
    if (back)
        full_due_ = true;
    return back;
}

}
