#include "report_run.hpp"

#include <cuebox/event/trace.hpp>
#include <cuebox/event/uuid.hpp>

namespace cuebox::actors {

namespace {

std::string text(const std::optional<pg::uuid>& id)
{
    return id ? event::print_uuid(*id) : std::string{};
}

}

handling::arrival arrive(const company& company, const outbox::claimed_row& row,
                         const std::shared_ptr<const event::envelope>& envelope,
                         const pg::uuid& token, const handling::handler& to)
{
    return {.envelope = envelope,
            .attempt = row.attempts + 1,
            .claim_token = token,
            .deadline = time_point::max(),
            .log = company.log.with({{"event_id", event::print_uuid(row.event_id)},
                                     {"event_type", row.event_type},
                                     {"handler_name", to.name}}),
            .stop = {}};
}

outbox::handled_record record_of(const handling::handler& by, const outbox::claimed_row& row)
{
    return {.handler = by.name,
            .idempotency_key = row.idempotency_key,
            .event_id = row.event_id,
            .content_class = row.content_class};
}

namespace {

std::string_view result_of(const handling::handler_run& run, const policy::verdict& verdict)
{
    if (run.duplicate)
        return "duplicate";
    if (run.result.cancelled)
        return "released";
    if (!run.result.failure)
        return "delivered";
    return std::holds_alternative<policy::retry_in>(verdict) ? "retry" : "failed";
}

void log_run(const company& company, const outbox::claimed_row& row,
             const handling::handler_run& run, std::string_view result)
{
    auto log = company.log;
    if (row.trace_context && event::parse_traceparent(*row.trace_context))
        log = log.with({{"trace_id", row.trace_context->substr(3, 32)},
                        {"span_id", row.trace_context->substr(36, 16)}});
    const double milliseconds = std::chrono::duration<double, std::milli>(run.took).count();
    log.info("handled", {{"event_id", event::print_uuid(row.event_id)},
                         {"event_type", row.event_type},
                         {"source", row.source},
                         {"target", row.target.value_or("")},
                         {"domain_id", text(row.domain_id)},
                         {"attempts", row.attempts},
                         {"duration_ms", milliseconds},
                         {"status_result", result},
                         {"handler_name", run.by->name},
                         {"error", run.result.failure ? run.result.failure->reason : ""}});
}

void count(tally& so_far, const policy::verdict& verdict)
{
    so_far.delivered += std::holds_alternative<policy::delivered>(verdict) ? 1 : 0;
    so_far.retried += std::holds_alternative<policy::retry_in>(verdict) ? 1 : 0;
    so_far.failed += std::holds_alternative<policy::dead_letter>(verdict) ? 1 : 0;
}

void log_dead_letter(const company& company, const outbox::claimed_row& row,
                     std::string_view reason)
{
    company.log.error("dead letter", {{"event_id", event::print_uuid(row.event_id)},
                                      {"row", event::print_uuid(row.id)},
                                      {"event_type", row.event_type},
                                      {"source", row.source},
                                      {"target", row.target.value_or("")},
                                      {"last_error", reason},
                                      {"attempts", row.attempts}});
}

}

void report_runs(const company& company, const outbox::claimed_row& row,
                 std::span<const handling::handler_run> runs, const policy::verdict& verdict)
{
    count(*company.tally, verdict);
    for (const handling::handler_run& each : runs) {
        if (!each.by)
            continue; // It had no turn.
        const std::string_view result = result_of(each, verdict);
        if (company.observer)
            company.observer({.event_id = row.event_id,
                              .event_type = row.event_type,
                              .handler = each.by->name,
                              .result = result,
                              .attempts = row.attempts,
                              .occurred_at = row.occurred_at,
                              .began_at = each.began_at,
                              .took = each.took});
        if (company.log.says(telemetry::level::info))
            log_run(company, row, each, result);
    }
    if (const auto* dead = std::get_if<policy::dead_letter>(&verdict))
        log_dead_letter(company, row, dead->reason);
}

}
