#include <cuebox/event/encode.hpp>
#include <cuebox/handlers/agent_tasks/limits.hpp>
#include <cuebox/handlers/agent_tasks/task.hpp>

#include <algorithm>

namespace cuebox::agent_tasks {

namespace {

constexpr auto& names = event::enum_names<task_status>::values;

}

std::string_view to_string(task_status status) noexcept
{
    return std::ranges::find(names, status, &std::pair<std::string_view, task_status>::second)
        ->first;
}

std::optional<task_status> parse_task_status(std::string_view text) noexcept
{
    const auto* found =
        std::ranges::find(names, text, &std::pair<std::string_view, task_status>::first);
    return found == std::end(names) ? std::nullopt : std::optional(found->second);
}

std::string encode(const task& what)
{
    std::string out;
    // What each of its parts may have, and a little for what is around them.
    event::encode_into(
        out, what,
        {.bytes = input_max + 2 * outcome_max + event::payload_max, .depth = event::depth_max + 2});
    return out;
}

void read_field(const pg::field& from, task_status& out)
{
    std::string text;
    pg::read_field(from, text);
    const auto known = parse_task_status(text);
    if (!known)
        from.refuse("the status of an agent task");
    out = *known;
}

}

namespace cuebox::event {

void read_field(const pg::field& from, raw_json& out)
{
    pg::read_field(from, out.text);
}

}
