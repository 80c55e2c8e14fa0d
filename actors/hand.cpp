#include "hand.hpp"

#include <algorithm>
#include <utility>

namespace cuebox::actors {

std::vector<hand::lost_run> hand::add(std::vector<held_row> rows, time_point now)
{
    std::vector<lost_run> lost;
    const auto of = batches_.insert(batches_.end(), {.rows = 0, .left = 0, .began = now});
    for (held_row& each : rows) {
        const auto [found, added] = rows_.try_emplace(each.row->id);
        if (added) {
            found->second = settle_in(std::move(each), of);
            waiting_.push_back(found->second);
            ++of->rows;
            continue;
        }
        entry& known = places_[found->second];
        if (known.worker) {
            lost.push_back(
                {.row = each.row->id, .token = known.held.token, .worker = *known.worker});
            known.again = std::move(each);
        }
        else {
            known.held = std::move(each);
        }
    }
    of->left = of->rows;
    if (of->rows == 0)
        batches_.erase(of);
    return lost;
}

hand::place hand::settle_in(held_row row, std::list<batch>::iterator of)
{
    if (free_.empty()) {
        free_.push_back(static_cast<place>(places_.size()));
        places_.emplace_back();
    }
    const place where = free_.back();
    free_.pop_back();
    places_[where] = {.held = std::move(row), .of = of};
    return where;
}

void hand::start_next(std::size_t worker, time_point now)
{
    entry& next = places_[waiting_.front()];
    next.worker = worker;
    next.started = now;
    waiting_.pop_front();
}

std::optional<held_row> hand::go_on(const pg::uuid& done, std::size_t worker, time_point now)
{
    if (worker >= may_go_on_ || waiting_.empty())
        return std::nullopt;
    const auto found = rows_.find(done);
    if (found == rows_.end() || places_[found->second].worker != worker)
        return std::nullopt;
    if (const auto finished = drop_at(found, now))
        paces_.push_back(*finished);
    entry& next = places_[waiting_.front()];
    start_next(worker, now);
    return std::move(next.held);
}

bool hand::runs_at(const pg::uuid& row, std::size_t worker) const
{
    const auto found = rows_.find(row);
    return found != rows_.end() && places_[found->second].worker == worker;
}

std::optional<hand::pace> hand::drop(const pg::uuid& row, time_point now)
{
    const auto found = rows_.find(row);
    return found == rows_.end() ? std::nullopt : drop_at(found, now);
}

std::optional<hand::pace> hand::drop_at(index::iterator found, time_point now)
{
    const place where = found->second;
    entry& gone = places_[where];
    if (gone.again) {
        held_row anew = std::move(*gone.again);
        gone = {.held = std::move(anew), .of = gone.of};
        waiting_.push_back(where);
        return std::nullopt;
    }
    const auto of = gone.of;
    gone.held = {};
    rows_.erase(found);
    free_.push_back(where);
    if (--of->left > 0)
        return std::nullopt;
    const pace done{.rows = of->rows, .took = now - of->began};
    batches_.erase(of);
    return done;
}

std::optional<std::size_t> hand::lose(const outbox::relay::lease& lost, time_point now)
{
    const auto found = rows_.find(lost.id);
    if (found == rows_.end())
        return std::nullopt;
    entry& known = places_[found->second];
    if (known.again && known.again->token == lost.token)
        known.again.reset();
    if (known.held.token != lost.token)
        return std::nullopt;
    if (known.worker)
        return known.worker; // It says when its handler has ended.
    std::erase(waiting_, found->second);
    drop_at(found, now);
    return std::nullopt;
}

std::vector<outbox::relay::lease> hand::leases() const
{
    std::vector<outbox::relay::lease> all;
    for (const auto& [id, where] : rows_) {
        const entry& each = places_[where];
        all.push_back({.id = id, .token = each.again ? each.again->token : each.held.token});
    }
    return all;
}

std::vector<pg::uuid> hand::take_long_running(duration at_least, time_point now)
{
    std::vector<pg::uuid> rows;
    bool news = false;
    for (const auto& [id, where] : rows_) {
        entry& each = places_[where];
        if (!each.worker || now - each.started < at_least)
            continue;
        rows.push_back(id);
        news = !std::exchange(each.given, true) || news;
    }
    if (!news)
        rows.clear();
    return rows;
}

std::vector<held_row> hand::take_waiting()
{
    std::vector<held_row> all;
    for (const place where : std::exchange(waiting_, {}))
        all.push_back(std::move(places_[where].held));
    for (const auto& [id, where] : rows_)
        if (auto& again = places_[where].again)
            all.push_back(std::move(*again));
    return all;
}

}
