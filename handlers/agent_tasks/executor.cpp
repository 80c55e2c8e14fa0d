#include "statements.hpp"

#include <cuebox/handlers/agent_tasks/executor.hpp>
#include <cuebox/handling/handler_set.hpp>

namespace cuebox::agent_tasks {

task_run::task_run(delivery<task_dispatched> event, time_point until)
    : event_(std::move(event)),
      until_(until)
{}

const std::string& task_run::idempotency_key() const noexcept
{
    return event_.envelope().idempotency_key;
}

awaitable<bool> task_run::unwanted() const
{
    const auto why = co_await why_unwanted();
    co_return why.has_value();
}

awaitable<std::optional<std::string>> task_run::why_unwanted() const
{
    auto work = co_await begin();
    auto why = co_await work->query_one<std::optional<std::string>>(
        unwanted_statement, event_->agent_task_id, event_.claim_token());
    co_await work->commit();
    co_return why;
}

executor_registry& executor_registry::on(std::string kind, executor run, options how)
{
    if (kind.empty() || !run)
        throw handling::handler_error("an executor needs the kind of task it runs, and itself");
    const auto [place, added] = executors_.try_emplace(std::move(kind), entry{std::move(run), how});
    if (!added)
        throw handling::handler_error("tasks of kind \"" + place->first +
                                      "\" have two executors: leave one out");
    return *this;
}

const executor_registry::entry* executor_registry::find(std::string_view kind) const
{
    const auto found = executors_.find(kind);
    return found == executors_.end() ? nullptr : &found->second;
}

std::vector<std::string> executor_registry::kinds() const
{
    std::vector<std::string> all;
    for (const auto& [kind, entry] : executors_)
        all.push_back(kind);
    return all;
}

}
