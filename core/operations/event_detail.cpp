#include <cuebox/operations/event_detail.hpp>
#include <cuebox/operations/statements.hpp>

namespace cuebox::operations {

namespace {

// As the database has them; the texts of jsonb columns are taken over as they are.
struct event_row
{
    event::uuid id, event_id;
    std::string event_type;
    std::int32_t event_version;
    std::string source;
    std::optional<std::string> target;
    std::int64_t generation;
    std::string channel, content_class;
    std::optional<event::uuid> domain_id;
    std::string idempotency_key;
    std::optional<std::string> trace_context;
    std::string payload, status;
    std::int32_t attempts;
    std::optional<std::string> handler, last_error;
    std::optional<event::timestamp> first_failed_at, failed_at;
    std::optional<std::string> worker;
    std::optional<event::timestamp> claimed_at;
    event::timestamp available_at, occurred_at, created_at;
    std::optional<event::timestamp> delivered_at, deleted_at;
};

struct action_row
{
    event::timestamp at;
    std::optional<std::string> actor;
    std::string database_user, action, detail;
};

event_detail detail_of(event_row&& row)
{
    return {.id = row.id,
            .event_id = row.event_id,
            .event_type = std::move(row.event_type),
            .event_version = row.event_version,
            .source = std::move(row.source),
            .target = std::move(row.target),
            .generation = row.generation,
            .channel = std::move(row.channel),
            .content_class = std::move(row.content_class),
            .domain_id = row.domain_id,
            .idempotency_key = std::move(row.idempotency_key),
            .trace_context = std::move(row.trace_context),
            .payload = {std::move(row.payload)},
            .status = std::move(row.status),
            .attempts = row.attempts,
            .handler = std::move(row.handler),
            .last_error = std::move(row.last_error),
            .first_failed_at = row.first_failed_at,
            .failed_at = row.failed_at,
            .worker = std::move(row.worker),
            .claimed_at = row.claimed_at,
            .available_at = row.available_at,
            .occurred_at = row.occurred_at,
            .created_at = row.created_at,
            .delivered_at = row.delivered_at,
            .deleted_at = row.deleted_at};
}

}

pg::awaitable<std::optional<event_detail>> show_event(pg::connection& connection, event::uuid id)
{
    auto row = co_await connection.query_first<event_row>(read_event, id);
    if (!row)
        co_return std::nullopt;
    event_detail detail = detail_of(std::move(*row));
    detail.history = co_await connection.query<failure_cycle>(read_failure_history, id);
    detail.handled = co_await connection.query<handled_by>(read_handled_by, detail.idempotency_key);
    const auto actions = co_await connection.query<action_row>(read_actions, id);
    for (const action_row& each : actions)
        detail.actions.push_back({.at = each.at,
                                  .actor = each.actor,
                                  .database_user = each.database_user,
                                  .action = each.action,
                                  .detail = {each.detail}});
    detail.copies = co_await connection.query<event_copy>(read_copies, id);
    co_return detail;
}

}
