#include <cuebox/handling/verdict.hpp>

#include <algorithm>

namespace cuebox::handling {

policy::verdict judge(std::span<const handler_run> runs, int retries_used, double jitter)
{
    policy::verdict verdict = policy::delivered{};
    for (const handler_run& each : runs) {
        if (each.result.cancelled)
            return policy::released{};
        if (!each.result.failure)
            continue;
        policy::failure failure = *each.result.failure;
        failure.handler = each.by->name;
        auto decided = policy::decide(std::move(failure), retries_used, each.by->retry, jitter);
        if (std::holds_alternative<policy::dead_letter>(verdict))
            continue;
        const auto* so_far = std::get_if<policy::retry_in>(&verdict);
        const auto* now = std::get_if<policy::retry_in>(&decided);
        if (!so_far || !now || now->delay > so_far->delay)
            verdict = std::move(decided);
    }
    return verdict;
}

}
