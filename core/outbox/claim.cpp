#include <cuebox/outbox/claim.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace cuebox::outbox {

namespace {

// As the database returns it.
struct flat_row
{
    pg::uuid id{};
    pg::uuid event_id{};
    std::string event_type{};
    std::int32_t event_version = 1;
    pg::timestamp occurred_at{};
    std::string source{};
    std::optional<std::string> target{};
    std::optional<pg::uuid> domain_id{};
    std::string payload{};
    std::string idempotency_key{};
    std::optional<std::string> trace_context{};
    std::string content_class{};
    std::string channel{};
    std::int32_t attempts = 0;
    pg::timestamp available_at{};
    pg::timestamp created_at{};
    pg::tid place{};
};

claimed_row_ptr unflatten(flat_row&& from)
{
    const auto row = std::make_shared<claimed_row>();
    row->id = from.id;
    event::envelope& event = row->envelope;
    event.event_id = from.event_id;
    event.event_type = std::move(from.event_type);
    event.event_version = from.event_version;
    event.occurred_at = from.occurred_at;
    event.source = std::move(from.source);
    event.target = std::move(from.target);
    event.domain_id = from.domain_id;
    event.payload.text = std::move(from.payload);
    event.idempotency_key = std::move(from.idempotency_key);
    event.trace_context = std::move(from.trace_context);
    row->content_class = std::move(from.content_class);
    row->channel = std::move(from.channel);
    row->attempts = from.attempts;
    row->available_at = from.available_at;
    row->created_at = from.created_at;
    row->place = from.place;
    return row;
}

}

std::vector<claimed_row_ptr> read_rows(const pg::result& claim)
{
    std::vector<claimed_row_ptr> rows;
    rows.reserve(claim.size());
    claim.each<flat_row>([&rows](flat_row&& each) { rows.push_back(unflatten(std::move(each))); });
    return rows;
}

policy::claim_reach reach_of(std::span<const claimed_row_ptr> rows, std::size_t asked)
{
    policy::claim_reach reach{.asked = asked, .got = rows.size()};
    for (const claimed_row_ptr& each : rows) {
        auto& furthest = each->due_at_a_time() ? reach.due : reach.ordinary;
        furthest =
            std::max(furthest, each->due_at_a_time() ? each->available_at : each->created_at);
    }
    return reach;
}

}
