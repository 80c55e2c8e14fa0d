#include <cuebox/handlers/agent_tasks/task.hpp>
#include <cuebox/handlers/kinds/kind.hpp>

#include <algorithm>

namespace cuebox::handlers {

namespace {

constexpr kind all[] = {
    {"sql", make_sql},
    {"webhook", make_webhook},
    {"exec", make_exec},
    {"log", make_log},
    {"agent_tasks", make_agent_tasks, agent_tasks::task_dispatched::event_type}};

}

std::span<const kind> stock_kinds() noexcept
{
    return all;
}

const kind* find_kind(std::string_view name) noexcept
{
    const auto* found = std::ranges::find(all, name, &kind::name);
    return found == std::end(all) ? nullptr : found;
}

}
