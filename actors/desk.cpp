#include "desk.hpp"

namespace cuebox::actors {

// In a test that owns time there is nobody to watch, and one executor keeps the order of things.
desk::desk(const loop& on)
    : activity_(on.keeps_real_time() ? std::make_shared<activity>(on) : nullptr),
      executor_(activity_ ? activity_->executor() : on.executor())
{}

std::optional<handling_now> desk::look() const
{
    const std::lock_guard lock(lock_);
    if (!by_)
        return std::nullopt;
    return handling_now{.handler = by_->name,
                        .event_type = row_->envelope.event_type,
                        .event_id = row_->envelope.event_id,
                        .row = row_->id,
                        .trace_context = row_->envelope.trace_context};
}

std::shared_ptr<desk> office::open(const loop& on)
{
    auto opened = std::make_shared<desk>(on);
    const std::lock_guard lock(mutex_);
    std::erase_if(desks_, [](const auto& each) { return each.expired(); });
    desks_.push_back(opened);
    return opened;
}

std::optional<handling_now> office::find(const activity* at_work) const
{
    const std::lock_guard lock(mutex_);
    for (const auto& each : desks_)
        if (const auto one = each.lock(); one && one->is(at_work))
            return one->look();
    return std::nullopt;
}

}
