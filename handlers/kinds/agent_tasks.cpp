#include "find_program.hpp"

#include <cuebox/config/read.hpp>
#include <cuebox/handlers/agent_tasks/program.hpp>
#include <cuebox/handlers/agent_tasks/task_handler.hpp>
#include <cuebox/handlers/kinds/kind.hpp>

namespace cuebox::handlers {

// One executor: a program.
struct executor_params
{
    std::vector<std::string> command;
    std::map<std::string, std::string> environment;
    // Else the handler's.
    std::optional<std::chrono::nanoseconds> timeout;

    static constexpr std::string_view required[] = {"command"};
    void validate(const config::node& from) const { check_command(from, "command", command); }
};

struct agent_tasks_params
{
    // By the kind of task.
    std::map<std::string, executor_params> executors;
    std::chrono::nanoseconds watch = agent_tasks::task_handler_options{}.watch;

    static constexpr std::string_view required[] = {"executors"};
    static constexpr auto& read_elsewhere = handler_keys;
};

handling::handler make_agent_tasks(kind_base base, const config::node& from)
{
    using agent_tasks::task_dispatched;
    if (base.event_types != std::vector<std::string>{std::string(task_dispatched::event_type)})
        from.refuse("events", "agent tasks are called for by agent.task.dispatched alone: leave "
                              "it out");
    auto params = config::read<agent_tasks_params>(from);
    if (params.executors.empty())
        from.refuse("executors", "is empty: name a kind of task and the program that runs it");
    agent_tasks::executor_registry executors;
    for (auto& [kind, each] : params.executors) {
        const duration timeout = each.timeout.value_or(base.options.timeout);
        executors.on(kind,
                     agent_tasks::make_program({.command = std::move(each.command),
                                                .environment = std::move(each.environment)}),
                     {.timeout = timeout});
    }
    return agent_tasks::make_task_handler(
        std::move(base.name), std::move(executors),
        {.retry = base.options.retry, .terminal = {}, .watch = params.watch});
}

}
