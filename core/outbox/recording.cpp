#include "recording.hpp"

#include <cuebox/outbox/worker_statements.hpp>

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

namespace cuebox::outbox {

namespace {

// So many pay for a call that tries the cheap way first.
constexpr std::size_t many_records = 16;

struct key_row
{
    std::string handler;
    std::string idempotency_key;

    auto operator<=>(const key_row&) const = default;
};

std::vector<std::size_t> writing_order(std::span<const handled_record* const> records)
{
    std::vector<std::size_t> order(records.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    // Of two alike the first one given comes first.
    const auto key = [records](std::size_t index) {
        return std::tuple_cat(records[index]->order(), std::tuple(index));
    };
    if (!std::ranges::is_sorted(order, {}, key))
        std::ranges::sort(order, {}, key);
    return order;
}

}

recording::recording(std::vector<const handled_record*> records, policy::novelty& novelty)
    : records_(std::move(records)),
      order_(writing_order(records_)),
      novelty_(novelty)
{}

bool recording::many() const noexcept
{
    return records_.size() >= many_records;
}

void recording::add_to(pg::pipeline& steps)
{
    if (records_.size() == 1) {
        step_ = steps.add(gate_one, handled_params(*records_.front()));
        return;
    }
    std::vector<const handled_record*> sorted;
    sorted.reserve(order_.size());
    for (const std::size_t index : order_)
        sorted.push_back(records_[index]);
    pg::params values = handled_params(sorted);
    if (many())
        values.add(novelty_.likely());
    step_ = steps.add(many() ? record_handled : gate_handled, std::move(values));
}

std::vector<bool> recording::read(std::span<const pg::outcome> answers) const
{
    learn(answers);
    const pg::result& answer = answers[step_].get();
    if (!many())
        return which_are_among(records_, answer);
    std::vector<bool> ours(records_.size(), true);
    for (const std::int32_t position : answer.rows<std::int32_t>())
        ours[order_[static_cast<std::size_t>(position - 1)]] = false;
    return ours;
}

void recording::learn(std::span<const pg::outcome> answers) const
{
    const pg::result& answer = answers[step_].get();
    if (many())
        novelty_.learn(!answer.empty());
}

std::vector<bool> which_are_among(std::span<const handled_record* const> keys,
                                  const pg::result& found)
{
    std::multiset<key_row> left;
    for (auto& each : found.rows<key_row>())
        left.insert(std::move(each));
    std::vector<bool> among;
    among.reserve(keys.size());
    for (const handled_record* each : keys) {
        const auto at =
            left.find(key_row{std::string(each->handler), std::string(each->idempotency_key)});
        among.push_back(at != left.end());
        if (at != left.end())
            left.erase(at);
    }
    return among;
}

}
