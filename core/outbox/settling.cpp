#include "settling.hpp"

#include <cuebox/outbox/worker_statements.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <cstdint>
#include <variant>

namespace cuebox::outbox {

namespace {

// So many rows of one claim pay for a statement of their own.
constexpr std::ptrdiff_t many_rows = 8;

bool is_delivered(const settlement* row)
{
    return std::holds_alternative<policy::delivered>(row->verdict);
}

}

settling::settling(std::span<const settlement> outcomes)
{
    // One number each, since there may be a thousand to sort: whether it was delivered, the turn of
    // its claim among those that are here, and its place.
    struct ranked
    {
        std::uint64_t rank;
        const settlement* row;
    };
    std::vector<ranked> all;
    all.reserve(outcomes.size());
    boost::unordered_flat_map<pg::uuid, std::uint64_t> claims;
    std::uint64_t claim = 0;
    for (const settlement& each : outcomes) {
        if (all.empty() || each.token != all.back().row->token)
            claim = claims.try_emplace(each.token, claims.size()).first->second;
        const std::uint64_t failed = is_delivered(&each) ? 0 : 1;
        all.push_back(
            {failed << 63 | claim << 48 | std::uint64_t{each.place.block} << 16 | each.place.offset,
             &each});
        delivered_ += failed == 0;
    }
    if (!std::ranges::is_sorted(all, {}, &ranked::rank))
        std::ranges::sort(all, {}, &ranked::rank);
    rows_.reserve(all.size());
    for (const ranked& each : all)
        rows_.push_back(each.row);
}

void settling::add_to(pg::pipeline& steps)
{
    const auto end = rows_.begin() + delivered_;
    std::vector<const settlement*> few;
    for (auto claim = rows_.begin(); claim != end;) {
        const auto next = std::find_if(claim, end, [token = (*claim)->token](const auto* each) {
            return each->token != token;
        });
        const settlements group(claim, next);
        if (next - claim >= many_rows)
            steps_.push_back(steps.add(settle_claim, settle_claim_params(group)));
        else
            few.insert(few.end(), claim, next);
        claim = next;
    }
    few.insert(few.end(), end, rows_.end());
    if (few.empty())
        return;
    if (end == rows_.end())
        steps_.push_back(steps.add(settle_delivered, settle_delivered_params(few)));
    else
        steps_.push_back(steps.add(settle_outcomes, settle_outcomes_params(few)));
}

void settling::add_locked_to(pg::pipeline& steps, std::string_view worker)
{
    const auto end = rows_.begin() + delivered_;
    const settlements delivered(rows_.begin(), end);
    const settlements others(end, rows_.end());
    if (!delivered.empty())
        steps_.push_back(
            steps.add(settle_locked_delivered, settle_locked_delivered_params(delivered)));
    if (!others.empty())
        steps_.push_back(
            steps.add(settle_locked_outcomes, settle_locked_outcomes_params(others, worker)));
}

std::vector<pg::uuid> settling::lost(std::span<const pg::outcome> answers) const
{
    std::vector<pg::uuid> all;
    for (const std::size_t step : steps_)
        for (const pg::uuid& each : answers[step].get().rows<pg::uuid>())
            all.push_back(each);
    return all;
}

}
