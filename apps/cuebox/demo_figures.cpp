#include "demo_figures.hpp"

#include <algorithm>

namespace cuebox::cli {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t history_max = 30;

void remember(std::deque<std::size_t>& history, std::size_t value)
{
    history.push_back(value);
    if (history.size() > history_max)
        history.pop_front();
}

}

void demo_figures::add_published(std::size_t events)
{
    published_ += events;
    highest_ = std::max(highest_, backlog());
}

void demo_figures::note(const handling::handled_note& told)
{
    if (told.attempts > 0)
        retried_.emplace(told.event_id, told.attempts);
    if (told.result == "released")
        return;
    if (told.result != "delivered" && told.result != "duplicate") {
        failing_.insert(told.event_id);
        return;
    }
    const bool had_failed = failing_.erase(told.event_id) > 0;
    const bool first = delivered_.insert(told.event_id).second;
    if (!first || had_failed || told.attempts > 0)
        return;
    const auto ended = told.began_at + std::chrono::floor<std::chrono::microseconds>(told.took);
    window_.push_back({.at = clock::now(), .after = ended - told.occurred_at});
}

void demo_figures::tick(clock::time_point now)
{
    while (!window_.empty() && window_.front().at < now - 2s)
        window_.pop_front();
    samples_.push_back({.at = now, .delivered = delivered()});
    while (samples_.size() > 2 && samples_[1].at <= now - 1s)
        samples_.pop_front();
    rate_ = delivered() - samples_.front().delivered;
    peak_ = std::max(peak_, rate_);
    if (now < history_due_)
        return;
    history_due_ = now + 250ms;
    remember(backlogs_, std::max(highest_, backlog()));
    highest_ = 0;
    remember(rates_, rate_);
}

std::optional<demo_figures::latency> demo_figures::recent_latency() const
{
    if (window_.empty())
        return std::nullopt;
    std::vector<std::chrono::microseconds> sorted;
    sorted.reserve(window_.size());
    for (const handled& each : window_)
        sorted.push_back(each.after);
    std::ranges::sort(sorted);
    return latency{.p50 = sorted[sorted.size() / 2], .p99 = sorted[sorted.size() * 99 / 100]};
}

}
