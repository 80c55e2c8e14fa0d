#include <cuebox/outbox/claim.hpp>

#include <algorithm>

namespace cuebox::outbox {

namespace {

event::envelope wrap(const claimed_row& row, std::string payload)
{
    return {.event_id = row.event_id,
            .event_type = row.event_type,
            .event_version = row.event_version,
            .occurred_at = row.occurred_at,
            .source = row.source,
            .target = row.target,
            .domain_id = row.domain_id,
            .payload = {std::move(payload)},
            .idempotency_key = row.idempotency_key,
            .trace_context = row.trace_context};
}

}

event::envelope claimed_row::envelope() const&
{
    return wrap(*this, payload);
}

event::envelope claimed_row::envelope() &&
{
    return wrap(*this, std::move(payload));
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
