#pragma once

#include <cuebox/handlers/agent_tasks/executor.hpp>
#include <cuebox/handlers/handler.hpp>

#include <chrono>

namespace cuebox::agent_tasks {

struct task_handler_options
{
    retry_policy retry{};
    // Errors of the executors' own for which trying again is pointless.
    std::function<bool(const std::exception&)> terminal{};
    // How often a task that runs is looked at for having been cancelled: then its executor is, too.
    // Zero is never; its result is refused all the same.
    duration watch = std::chrono::seconds(5);
};

// The leased handler of agent.task.dispatched: loads the task, runs its executor and records what
// came of it, fenced by the claim's token. It reaches the database through the context it is in.
//
//     handlers.add(agent_tasks::make_task_handler("platform.agent_tasks", std::move(executors)));
//
// A task that does not need the run (it has succeeded, waits, was cancelled, was dispatched anew)
// makes the event delivered, and no executor runs. A run whose task has other hands on it meanwhile
// ends as a failure, so that the event is only delivered when the task needs it no more. One that
// fails has its error recorded, and so has its event: it is tried again by `retry`, and a dead
// letter in the end. A kind without an executor makes the event a dead letter, and leaves the task
// to a context that has one.
//
// What is done the task itself knows: there are no dedup records, and one such handler a context.
handling::handler make_task_handler(std::string name, executor_registry executors,
                                    task_handler_options options = {});

}
