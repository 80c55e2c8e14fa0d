#include <cuebox/runtime/contract.hpp>
#include <cuebox/runtime/supervision.hpp>

#include <algorithm>

namespace cuebox {

std::size_t supervision::add(restart restart)
{
    children_.push_back(child{.restart = restart});
    return children_.size() - 1;
}

void supervision::reset()
{
    for (child& each : children_) {
        CUEBOX_ASSERT(each.is == condition::down, "a supervisor was reset while a child was up");
        each = child{.restart = each.restart, .wanted = !each.closed, .closed = each.closed};
    }
    meter_ = restart_meter(limit_);
    closing_ = escalating_ = finished_ = false;
}

bool supervision::started(std::size_t index)
{
    child& started = children_[index];
    // One that was given up as stuck in its start may start after all; a stop finds it up again.
    if (started.is != condition::starting && started.is != condition::stuck)
        return false;
    started.is = condition::up;
    started.was_up = true;
    return true;
}

bool supervision::all_up() const noexcept
{
    return std::all_of(children_.begin(), children_.end(),
                       [](const child& each) { return !each.wanted || each.is == condition::up; });
}

supervision::verdict supervision::ended(std::size_t index, exit_kind how, time_point now,
                                        double jitter)
{
    child& ended = children_[index];
    const bool as_told = ended.is == condition::stopping || ended.is == condition::stuck;
    ended.is = condition::down;
    if (closing_ || as_told)
        return {.restarts = !closing_ && ended.wanted,
                .delay = std::max(duration::zero(), ended.not_before - now)};

    const bool again = ended.restart == restart::permanent ||
                       (ended.restart == restart::transient && how == exit_kind::failed);
    if (!again) {
        ended.wanted = false;
        return {};
    }
    if (!meter_.record(now)) {
        closing_ = escalating_ = true;
        return {.escalates = true};
    }
    const duration delay = backoff_.delay(ended.streak.record(now, backoff_.calm), jitter);
    mark(index, now + delay);
    return {.restarts = true, .delay = delay};
}

void supervision::stuck(std::size_t index)
{
    if (children_[index].is == condition::stopping || children_[index].is == condition::starting)
        children_[index].is = condition::stuck;
}

void supervision::stop()
{
    closing_ = true;
}

// The failed child and those that its strategy takes along: down, if they are not, then up
// together.
void supervision::mark(std::size_t failed, time_point when)
{
    const std::size_t first = strategy_ == strategy::one_for_all ? 0 : failed;
    const std::size_t last = strategy_ == strategy::one_for_one ? failed + 1 : children_.size();
    ++batches_;
    for (std::size_t i = first; i < last; ++i) {
        child& each = children_[i];
        if (!each.wanted)
            continue;
        each.marked = true;
        if (i != failed && each.restart == restart::temporary) {
            each.wanted = false; // it goes down with the others and is not started again
            continue;
        }
        each.batch = batches_;
        each.not_before = std::max(each.not_before, when);
    }
}

// Children go down one at a time, the last first. A stuck one is passed over: it has been told.
bool supervision::stop_last(std::vector<supervisor_action>& actions, bool marked_only)
{
    bool all_down = true;
    for (std::size_t i = children_.size(); i-- > 0;) {
        child& each = children_[i];
        if (each.is == condition::down || (marked_only && !each.marked))
            continue;
        all_down = false;
        if (each.is == condition::stuck)
            continue;
        if (each.is != condition::stopping) {
            each.is = condition::stopping;
            actions.push_back(stop_child{i});
        }
        break;
    }
    return all_down;
}

// In order: those before it that start in the same go, or have never been up, come first.
bool supervision::may_start(std::size_t index, time_point now) const noexcept
{
    const child& candidate = children_[index];
    if (!candidate.wanted || candidate.is != condition::down || now < candidate.not_before)
        return false;
    return std::none_of(children_.begin(), children_.begin() + static_cast<std::ptrdiff_t>(index),
                        [&](const child& each) {
                            return each.wanted && each.is != condition::up &&
                                   (each.batch == candidate.batch || !each.was_up);
                        });
}

std::vector<supervisor_action> supervision::next(time_point now)
{
    std::vector<supervisor_action> actions;
    if (finished_)
        return actions;
    if (closing_) {
        if (stop_last(actions, false)) {
            finished_ = true;
            actions.push_back(finish{escalating_});
        }
        return actions;
    }

    for (std::size_t i = 0; i < children_.size(); ++i) {
        child& each = children_[i];
        if (!each.wanted && each.is == condition::down && !each.closed) {
            each.closed = true;
            actions.push_back(close_child{i});
        }
    }

    if (!stop_last(actions, true))
        return actions;
    std::optional<time_point> soonest;
    for (std::size_t i = 0; i < children_.size(); ++i) {
        child& each = children_[i];
        if (may_start(i, now)) {
            each.marked = false;
            each.is = condition::starting;
            actions.push_back(start_child{i});
        }
        else if (each.wanted && each.is == condition::down && now < each.not_before)
            soonest = std::min(soonest.value_or(each.not_before), each.not_before);
    }
    if (soonest)
        actions.push_back(wait_until{*soonest});
    if (std::all_of(children_.begin(), children_.end(),
                    [](const child& each) { return each.closed && each.is == condition::down; }) &&
        !children_.empty())
    {
        finished_ = true;
        actions.push_back(finish{false});
    }
    return actions;
}

}
