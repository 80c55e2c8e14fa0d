#include "settling.hpp"

#include "point_at.hpp"

#include <cuebox/outbox/worker_statements.hpp>

#include <algorithm>
#include <tuple>
#include <variant>

namespace cuebox::outbox {

namespace {

// So many rows of one claim pay for a statement of their own.
constexpr std::ptrdiff_t many_rows = 32;

using pointers = std::vector<const settlement*>;

// The delivered ones first, in the order of their claims and places; how many these are.
std::size_t sort_out(pointers& rows)
{
    const auto others = std::ranges::partition(rows, [](const settlement* each) {
        return std::holds_alternative<policy::delivered>(each->verdict);
    });
    const auto count = static_cast<std::size_t>(others.begin() - rows.begin());
    const auto key = [](const settlement* each) { return std::tie(each->token, each->place); };
    const auto delivered = std::span(rows).first(count);
    if (!std::ranges::is_sorted(delivered, {}, key))
        std::ranges::sort(delivered, {}, key);
    return count;
}

}

void settling::add_to(pg::pipeline& steps, std::span<const settlement> outcomes)
{
    pointers rows = point_at(outcomes);
    const auto delivered = static_cast<std::ptrdiff_t>(sort_out(rows));
    const auto end = rows.begin() + delivered;
    pointers few;
    for (auto claim = rows.begin(); claim != end;) {
        const auto next = std::find_if(claim, end, [token = (*claim)->token](const auto* each) {
            return each->token != token;
        });
        const std::span group(claim, next);
        if (next - claim >= many_rows)
            steps_.push_back(steps.add(settle_claim, settle_claim_params(group)));
        else
            few.insert(few.end(), claim, next);
        claim = next;
    }
    const bool all_delivered = end == rows.end();
    few.insert(few.end(), end, rows.end());
    if (few.empty())
        return;
    if (all_delivered)
        steps_.push_back(steps.add(settle_delivered, settle_delivered_params(few)));
    else
        steps_.push_back(steps.add(settle_outcomes, settle_outcomes_params(few)));
}

void settling::add_locked_to(pg::pipeline& steps, std::span<const settlement> outcomes,
                             std::string_view worker)
{
    pointers rows = point_at(outcomes);
    const std::size_t count = sort_out(rows);
    const settlements delivered = settlements(rows).first(count);
    const settlements others = settlements(rows).subspan(count);
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
