#include <cuebox/outbox/claim.hpp>

#include <algorithm>

namespace cuebox::outbox {

event::envelope claimed_row::envelope() const
{
    return {.event_id = event_id,
            .event_type = event_type,
            .event_version = event_version,
            .occurred_at = occurred_at,
            .source = source,
            .target = target,
            .domain_id = domain_id,
            .payload = {payload},
            .idempotency_key = idempotency_key,
            .trace_context = trace_context};
}

policy::claim_reach reach_of(const std::vector<claimed_row>& rows, std::size_t asked)
{
    policy::claim_reach reach{.asked = asked, .got = rows.size()};
    for (const claimed_row& each : rows) {
        auto& furthest = each.due_at_a_time() ? reach.due : reach.ordinary;
        furthest = std::max(furthest, each.due_at_a_time() ? each.available_at : each.created_at);
    }
    return reach;
}

}
