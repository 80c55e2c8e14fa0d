#include "flow.hpp"

#include <algorithm>

namespace cuebox::actors {

namespace {

// Between two attempts while the database does not answer.
constexpr std::chrono::seconds pause_after_failure{1};

}

flow::flow(std::vector<std::string> types, std::size_t hands, const policy::claim_limits& limits)
    : size(limits),
      busy(hands, false),
      types_(std::move(types))
{}

bool flow::hungry(time now) const noexcept
{
    if (types_.empty() || !more_ || now < not_before_)
        return false;
    // Only a claim that looks back could find something, and it may be too early for one.
    return !end_reached_ || (cursor_.wants_deep() && now >= cursor_.deep_at()) ||
           (may_look && wants_look(now));
}

std::optional<flow::time> flow::held_back_until(time now) const noexcept
{
    const bool someone_free = std::ranges::find(busy, false) != busy.end();
    if (types_.empty() || !more_ || !someone_free || hungry(now))
        return std::nullopt;
    if (!end_reached_)
        return not_before_;
    std::optional<time> next;
    // While one is under way it is too early for another, for as long as that takes.
    if (may_look && cursor_.wants_full() && cursor_.full_at() != time::max())
        next = cursor_.full_at();
    if (cursor_.wants_deep())
        next = std::min(next.value_or(cursor_.deep_at()), cursor_.deep_at());
    return next ? std::optional(std::max(not_before_, *next)) : std::nullopt;
}

outbox::claim_request flow::request(std::size_t limit, time now) const
{
    const auto bounds = cursor_.next(now, may_look);
    return {.event_types = types_,
            .limit = limit,
            .bounds = bounds,
            // A broadcast shows up as nothing to claim: look for one when looking everywhere.
            .expand = bounds.full || expands_};
}

void flow::answered(const policy::claim_bounds& bounds, const policy::claim_reach& reach,
                    std::size_t expanded, time now)
{
    cursor_.claimed(bounds, reach, now);
    size.claimed(reach.asked, reach.got);
    expands_ = expanded > 0;
    const bool full_batch = reach.got >= reach.asked || expanded > 0;
    backlog_ = full_batch;
    if (full_batch) {
        more_ = true;
        end_reached_ = false;
    }
    else if (bounds.full) {
        more_ = cursor_.wants_full(); // Woken again since it was asked.
        end_reached_ = !more_;
    }
    else {
        end_reached_ = true;
    }
}

void flow::failed(time now)
{
    not_before_ = now + pause_after_failure;
    more_ = true;
    cursor_.failed(now);
}

void flow::woken() noexcept
{
    more_ = true;
    end_reached_ = false;
    cursor_.look_everywhere();
}

bool flow::set_floor(event::timestamp floor) noexcept
{
    const bool back = cursor_.set_floor(floor);
    if (back)
        woken();
    return back;
}

}
