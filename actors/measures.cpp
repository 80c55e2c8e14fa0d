#include "measures.hpp"

#include <variant>

namespace cuebox::actors {

namespace {

telemetry::counter& rows(telemetry::metrics& in, const std::string& context, const char* outcome)
{
    return in.count("cuebox_rows_total",
                    "Rows that a context was through with, by what became "
                    "of them",
                    {{"context", context}, {"outcome", outcome}});
}

}

std::string_view to_string(run_result result) noexcept
{
    switch (result) {
    case run_result::delivered:
        return "delivered";
    case run_result::retry:
        return "retry";
    case run_result::failed:
        return "failed";
    case run_result::released:
        return "released";
    case run_result::duplicate:
        return "duplicate";
    }
    return "unknown";
}

run_result result_of(const handling::handler_run& run, const policy::verdict& verdict) noexcept
{
    if (run.duplicate)
        return run_result::duplicate;
    if (run.result.cancelled)
        return run_result::released;
    if (!run.result.failure)
        return run_result::delivered;
    return std::holds_alternative<policy::retry_in>(verdict) ? run_result::retry
                                                             : run_result::failed;
}

measures::measures(telemetry::metrics& in, const std::string& context,
                   const handling::handler_set& handlers)
    : in_(in),
      context_(context),
      delivered_(rows(in, context, "delivered")),
      retried_(rows(in, context, "retry")),
      failed_(rows(in, context, "failed")),
      released_(rows(in, context, "released")),
      reaped_(in.count("cuebox_reaped_rows_total",
                       "Rows taken back from dead workers and expired "
                       "leases",
                       {{"context", context}}))
{
    for (const auto& each : handlers.all()) {
        of_handler& mine = handlers_[each->name];
        mine.latency = &in.measure("cuebox_publish_to_handled_seconds",
                                   "From publishing, or from when it was due, to the end of the "
                                   "handler that succeeded",
                                   {{"context", context}, {"handler", each->name}});
        for (std::size_t i = 0; i < run_results; ++i) {
            const telemetry::labels of{{"context", context},
                                       {"handler", each->name},
                                       {"result", std::string(to_string(run_result{i}))}};
            mine.runs[i] =
                &in.count("cuebox_handled_total", "Runs of handlers, by how they ended", of);
            mine.took[i] = &in.measure("cuebox_handler_seconds", "How long handlers ran", of);
        }
    }
}

void measures::run(std::string_view handler, run_result result, std::chrono::nanoseconds took,
                   std::chrono::nanoseconds since_published)
{
    const auto found = handlers_.find(handler);
    if (found == handlers_.end())
        return;
    const auto at = static_cast<std::size_t>(result);
    found->second.runs[at]->add();
    if (result != run_result::duplicate)
        found->second.took[at]->observe(took);
    if (result == run_result::delivered)
        found->second.latency->observe(since_published);
}

void measures::settled(const policy::verdict& verdict)
{
    if (std::holds_alternative<policy::delivered>(verdict))
        delivered_.add();
    else if (std::holds_alternative<policy::retry_in>(verdict))
        retried_.add();
    else if (std::holds_alternative<policy::dead_letter>(verdict))
        failed_.add();
    else
        released_.add();
}

// Seldom enough to look its series up.
void measures::stalled(std::string_view handler)
{
    in_.count("cuebox_loop_stalls_total",
              "How often the thread of a context stood still for a second or more, by the handler "
              "that blocked it",
              {{"context", context_}, {"handler", std::string(handler)}})
        .add();
}

void measures::reaped(bool failed)
{
    reaped_.add();
    if (failed)
        failed_.add();
}

}
