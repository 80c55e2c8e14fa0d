#pragma once

#include <cuebox/handlers/agent_tasks/executor.hpp>

#include <exception>
#include <optional>

namespace cuebox::agent_tasks {

// How a run came to its end: one of these.
struct run_end
{
    std::optional<agent_tasks::outcome> outcome{};
    std::exception_ptr thrown{};
    // It was ended because nobody wants its result: why not, as the database says it.
    std::optional<std::string> unwanted{};
};

// Runs an executor, and ends it when it takes too long or when the task is not wanted any more,
// which is looked at every `watch`. Cancelled, it ends the executor and throws as all do.
awaitable<run_end> run_watched(const executor_registry::entry& by, const task& what, task_run& run,
                               duration watch);

}
