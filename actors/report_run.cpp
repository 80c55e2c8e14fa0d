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

void report_run(const company& company, const run_report& report)
{
    const auto& row = report.row;
    if (company.observer)
        company.observer({.event_id = row.event_id,
                          .event_type = row.event_type,
                          .handler = report.by.name,
                          .result = report.result,
                          .attempts = row.attempts,
                          .occurred_at = row.occurred_at,
                          .began_at = report.began_at,
                          .took = report.took});
    if (!company.log.says(telemetry::level::info))
        return;
    const double milliseconds = std::chrono::duration<double, std::milli>(report.took).count();
    auto log = company.log;
    if (const auto trace =
            row.trace_context ? event::parse_traceparent(*row.trace_context) : std::nullopt)
        log = log.with({{"trace_id", row.trace_context->substr(3, 32)},
                        {"span_id", row.trace_context->substr(36, 16)}});
    log.info("handled", {{"event_id", event::print_uuid(row.event_id)},
                         {"event_type", row.event_type},
                         {"source", row.source},
                         {"target", row.target.value_or("")},
                         {"domain_id", text(row.domain_id)},
                         {"attempts", row.attempts},
                         {"duration_ms", milliseconds},
                         {"status_result", report.result},
                         {"handler_name", report.by.name},
                         {"error", report.error}});
}

void report_dead_letter(const company& company, const outbox::claimed_row& row,
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
