#include "hand.hpp"

#include <algorithm>
#include <utility>

namespace cuebox::actors {

std::vector<hand::lost_run> hand::add(std::vector<held_row> rows, time_point now)
{
    std::vector<lost_run> lost;
    const std::size_t number = next_batch_++;
    std::size_t added = 0;
    for (held_row& each : rows) {
        const pg::uuid id = each.row->id;
        const auto found = rows_.find(id);
        if (found == rows_.end()) {
            waiting_.push_back(id);
            rows_[id] = {.held = std::move(each), .batch = number};
            ++added;
        }
        else if (found->second.worker) {
            lost.push_back(
                {.row = id, .token = found->second.held.token, .worker = *found->second.worker});
            found->second.again = std::move(each);
        }
        else {
            found->second.held = std::move(each);
        }
    }
    if (added > 0)
        batches_[number] = {.rows = added, .left = added, .began = now};
    return lost;
}

void hand::start_next(std::size_t worker, time_point now)
{
    entry& next = rows_.at(waiting_.front());
    next.worker = worker;
    next.started = now;
    waiting_.pop_front();
}

std::optional<held_row> hand::go_on(const pg::uuid& done, std::size_t worker, time_point now)
{
    if (worker >= may_go_on_ || waiting_.empty() || !runs_at(done, worker))
        return std::nullopt;
    if (const auto finished = drop(done, now))
        paces_.push_back(*finished);
    held_row following = next();
    start_next(worker, now);
    return following;
}

bool hand::runs_at(const pg::uuid& row, std::size_t worker) const
{
    const auto found = rows_.find(row);
    return found != rows_.end() && found->second.worker == worker;
}

std::optional<hand::pace> hand::drop(const pg::uuid& row, time_point now)
{
    const auto found = rows_.find(row);
    if (found == rows_.end())
        return std::nullopt;
    if (found->second.again) {
        held_row anew = std::move(*found->second.again);
        found->second = {.held = std::move(anew), .batch = found->second.batch};
        waiting_.push_back(row);
        return std::nullopt;
    }
    const auto of = batches_.find(found->second.batch);
    rows_.erase(found);
    if (--of->second.left > 0)
        return std::nullopt;
    const pace done{.rows = of->second.rows, .took = now - of->second.began};
    batches_.erase(of);
    return done;
}

std::optional<std::size_t> hand::lose(const outbox::relay::lease& lost, time_point now)
{
    const auto found = rows_.find(lost.id);
    if (found == rows_.end())
        return std::nullopt;
    if (found->second.again && found->second.again->token == lost.token)
        found->second.again.reset();
    if (found->second.held.token != lost.token)
        return std::nullopt;
    if (found->second.worker)
        return found->second.worker; // It says when its handler has ended.
    std::erase(waiting_, lost.id);
    drop(lost.id, now);
    return std::nullopt;
}

std::vector<outbox::relay::lease> hand::leases() const
{
    std::vector<outbox::relay::lease> all;
    for (const auto& [id, each] : rows_)
        all.push_back({.id = id, .token = each.again ? each.again->token : each.held.token});
    return all;
}

std::vector<pg::uuid> hand::take_long_running(duration at_least, time_point now)
{
    std::vector<pg::uuid> rows;
    bool news = false;
    for (auto& [id, each] : rows_) {
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
    for (const pg::uuid& id : std::exchange(waiting_, {}))
        all.push_back(std::move(rows_.at(id).held));
    for (auto& [id, each] : rows_)
        if (each.again)
            all.push_back(std::move(*each.again));
    return all;
}

}
