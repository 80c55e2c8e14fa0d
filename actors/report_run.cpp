#include "report_run.hpp"

#include <cuebox/event/trace.hpp>
#include <cuebox/event/uuid.hpp>
#include <cuebox/telemetry/trace_fields.hpp>

#include <algorithm>

namespace cuebox::actors {

namespace {

std::string text(const std::optional<pg::uuid>& id)
{
    return id ? event::print_uuid(*id) : std::string{};
}

std::optional<event::traceparent> read_trace(const std::optional<std::string>& context)
{
    return context ? event::parse_traceparent(*context) : std::nullopt;
}

std::optional<event::traceparent> published_in(const outbox::claimed_row& row)
{
    return read_trace(row.envelope.trace_context);
}

// The span that a run continues the publisher's trace with. Where nobody takes spans, the
// publisher's own is as good a mark as any.
std::optional<event::traceparent> open_span(const company& company, const outbox::claimed_row& row)
{
    const auto parent = published_in(row);
    if (!company.spans)
        return parent;
    return parent ? event::child_of(*parent) : event::new_trace();
}

// Only where somebody reads it: it is made for every event.
telemetry::logger log_of(const company& company, const outbox::claimed_row& row,
                         const handling::handler_run& run)
{
    if (!company.log.says(telemetry::level::error))
        return company.log;
    return telemetry::with_trace(company.log, run.trace)
        .with({{"event_id", event::print_uuid(row.envelope.event_id)},
               {"event_type", row.envelope.event_type},
               {"handler_name", run.by->name}});
}

}

handling::arrival arrive(const company& company, const outbox::claimed_row_ptr& row,
                         const pg::uuid& token, handling::handler_run& run)
{
    run.trace = open_span(company, *row);
    return {.envelope = {row, &row->envelope},
            .attempt = row->attempts + 1,
            .claim_token = token,
            .deadline = time_point::max(),
            .trace = run.trace,
            .log = log_of(company, *row, run),
            .stop = {},
            .begin = {},
            .threads = company.threads.get()};
}

outbox::handled_record record_of(const handling::handler& by, const outbox::claimed_row& row)
{
    return {.handler = by.name,
            .idempotency_key = row.envelope.idempotency_key,
            .event_id = row.envelope.event_id,
            .content_class = row.content_class};
}

namespace {

void log_run(const company& company, const outbox::claimed_row& row,
             const handling::handler_run& run, std::string_view result)
{
    const double milliseconds = std::chrono::duration<double, std::milli>(run.took).count();
    telemetry::with_trace(company.log, run.trace ? run.trace : published_in(row))
        .info("handled", {{"event_id", event::print_uuid(row.envelope.event_id)},
                          {"event_type", row.envelope.event_type},
                          {"source", row.envelope.source},
                          {"target", row.envelope.target.value_or("")},
                          {"domain_id", text(row.envelope.domain_id)},
                          {"attempts", row.attempts},
                          {"duration_ms", milliseconds},
                          {"status_result", result},
                          {"handler_name", run.by->name},
                          {"error", run.result.failure ? run.result.failure->reason : ""}});
}

// OpenTelemetry's names for messaging, where it has them.
void trace_run(const company& company, const outbox::claimed_row& row,
               const handling::handler_run& run, std::string_view result)
{
    if (!company.spans || !run.trace)
        return;
    const auto parent = published_in(row);
    company.spans(
        {.context = *run.trace,
         .parent = parent ? parent->span_id : decltype(parent->span_id){},
         .name = "handle " + row.envelope.event_type,
         .kind = telemetry::span::role::consumer,
         .began_at = run.began_at,
         .ended_at = run.began_at + std::chrono::duration_cast<std::chrono::microseconds>(run.took),
         .error = run.result.failure ? run.result.failure->reason : "",
         .attributes = {{"messaging.system", "cuebox"},
                        {"messaging.operation", "process"},
                        {"messaging.message.id", event::print_uuid(row.envelope.event_id)},
                        {"cuebox.event_type", row.envelope.event_type},
                        {"cuebox.source", row.envelope.source},
                        {"cuebox.context", company.name},
                        {"cuebox.handler", run.by->name},
                        {"cuebox.attempts", row.attempts},
                        {"cuebox.result", result}}});
}

// Since it was published, or since the time it was published for.
duration waited(const outbox::claimed_row& row, const handling::handler_run& run)
{
    const auto since =
        row.attempts == 0 ? std::max(row.created_at, row.available_at) : row.created_at;
    // The two clocks need not be the same.
    return std::max<duration>(run.began_at + run.took - since, duration{});
}

void count(tally_keeper& so_far, const policy::verdict& verdict)
{
    if (std::holds_alternative<policy::delivered>(verdict))
        so_far.delivered();
    else if (std::holds_alternative<policy::retry_in>(verdict))
        so_far.retried();
    else if (std::holds_alternative<policy::dead_letter>(verdict))
        so_far.failed();
}

void report_run(const company& company, const outbox::claimed_row& row,
                const handling::handler_run& run, const policy::verdict& verdict)
{
    const run_result result = result_of(run, verdict);
    const std::string_view name = to_string(result);
    if (company.observer)
        company.observer({.event_id = row.envelope.event_id,
                          .event_type = row.envelope.event_type,
                          .handler = run.by->name,
                          .result = name,
                          .attempts = row.attempts,
                          .occurred_at = row.envelope.occurred_at,
                          .began_at = run.began_at,
                          .took = run.took});
    if (company.measures)
        company.measures->run(run.by->name, result, run.took, waited(row, run));
    if (company.log.says(telemetry::level::info))
        log_run(company, row, run, name);
    trace_run(company, row, run, name);
}

// In the log, and to whoever is to be told.
void raise_alert(const company& company, telemetry::alert alert)
{
    alert.context = company.name;
    alert.generation = company.generation;
    alert.failed_at = event::now();
    telemetry::with_trace(company.log, alert.trace)
        .error("dead letter", {{"event_id", event::print_uuid(alert.event_id)},
                               {"row", event::print_uuid(alert.row)},
                               {"event_type", alert.event_type},
                               {"source", alert.source},
                               {"target", alert.target},
                               {"handler_name", alert.handler_name},
                               {"last_error", alert.last_error},
                               {"attempts", alert.attempts}});
    if (company.alert)
        company.alert(alert);
}

}

void report_runs(const company& company, const outbox::claimed_row& row,
                 std::span<const handling::handler_run> runs, const policy::verdict& verdict)
{
    for (const handling::handler_run& each : runs)
        if (each.by) // Else it had no turn.
            report_run(company, row, each, verdict);
}

void report_settled(const company& company, const outbox::claimed_row& row,
                    const policy::verdict& verdict)
{
    count(*company.tally, verdict);
    if (company.measures)
        company.measures->settled(verdict);
    if (const auto* dead = std::get_if<policy::dead_letter>(&verdict))
        raise_alert(company, {.event_id = row.envelope.event_id,
                              .row = row.id,
                              .event_type = row.envelope.event_type,
                              .source = row.envelope.source,
                              .target = row.envelope.target.value_or(""),
                              .handler_name = dead->handler,
                              .last_error = dead->reason,
                              .attempts = row.attempts,
                              .trace = published_in(row)});
}

void report_reaped(const company& company, const outbox::reaped_row& row)
{
    const bool dead = row.outcome == "failed";
    if (company.measures)
        company.measures->reaped(dead);
    company.log.warning("took a row back", {{"row", event::print_uuid(row.id)},
                                            {"event_type", row.event_type},
                                            {"outcome", row.outcome},
                                            {"worker", row.worker.value_or("")},
                                            {"attempts", row.attempts}});
    if (!dead)
        return;
    company.tally->failed();
    raise_alert(company, {.event_id = row.event_id,
                          .row = row.id,
                          .event_type = row.event_type,
                          .source = row.source,
                          .target = row.target.value_or(""),
                          .handler_name = {},
                          .last_error = row.last_error.value_or(""),
                          .attempts = row.attempts,
                          .trace = read_trace(row.trace_context)});
}

}
