#include <cuebox/otel/tally.hpp>

#include <algorithm>

namespace cuebox::otel {

bool tally::accept() noexcept
{
    // Settled first: read the other way round, it could be ahead.
    const std::uint64_t settled = settled_;
    if (!closed_) {
        if (accepted_.fetch_add(1) - settled < in_hand_max_)
            return true;
        accepted_.fetch_sub(1);
    }
    ++refused_;
    return false;
}

void tally::settle(std::size_t spans, bool sent) noexcept
{
    {
        const std::lock_guard lock{mutex_};
        settled_ += spans;
        if (sent)
            exported_ += spans;
    }
    changed_.notify_all();
}

void tally::end() noexcept
{
    {
        const std::lock_guard lock{mutex_};
        ended_ = true;
    }
    changed_.notify_all();
}

bool tally::wait_for_all(std::chrono::milliseconds within)
{
    std::unique_lock lock{mutex_};
    const std::uint64_t so_far = accepted_;
    return changed_.wait_for(
        lock, within, [&] { return ended_ || settled_ >= std::min(so_far, accepted_.load()); });
}

bool tally::wait_for_end(std::chrono::milliseconds within)
{
    std::unique_lock lock{mutex_};
    if (changed_.wait_for(lock, within, [&] { return ended_; }))
        return true;
    abandoned_ = true;
    return false;
}

exporter_counts tally::counts() const
{
    const std::lock_guard lock{mutex_};
    const std::uint64_t settled = settled_;
    const std::uint64_t waiting = accepted_ - settled;
    exporter_counts counts{.exported = exported_, .dropped = refused_ + (settled - exported_)};
    // After the end nobody sends what slipped in beside it.
    (ended_ ? counts.dropped : counts.waiting) += waiting;
    return counts;
}

}
