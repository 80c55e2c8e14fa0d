#pragma once

#include <cuebox/event/shapes.hpp>
#include <cuebox/event/typed_payload.hpp>
#include <cuebox/pg/field.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cuebox::agent_tasks {

// Where a task is. docs/agent_tasks.md has every way from one to another.
enum class task_status
{
    pending,              // Waits for a worker: new, resumed, or to be tried again.
    running,              // A worker has it.
    waiting_for_approval, // Paused until somebody approves or rejects.
    succeeded,
    failed, // Its event is a dead letter: replay that, and it runs again.
    cancelled
};
std::string_view to_string(task_status status) noexcept;
std::optional<task_status> parse_task_status(std::string_view text) noexcept;

// A task as it stands: a row of platform.agent_task_states.
struct task
{
    event::uuid id{};
    // Which executor runs it.
    std::string kind{};
    task_status status{};
    event::raw_json input{};
    std::optional<event::uuid> conversation_id{};
    // The tenant or domain.
    std::optional<event::uuid> domain_id{};
    // The event that it was made because of.
    std::optional<event::uuid> trigger_event_id{};
    // 1, and one more for every approval. Together with the id, the key of whatever a run does.
    std::int32_t round = 1;
    // The event that calls a worker in this round.
    event::uuid dispatch_event_id{};

    // The latest request for approval; without a decision, the one it waits for.
    std::optional<event::uuid> approval_id{};
    std::optional<event::raw_json> approval_request{};
    std::optional<event::timestamp> approval_requested_at{};
    // "approved" or "rejected".
    std::optional<std::string> decision{};
    std::optional<std::string> decided_by{};
    std::optional<event::timestamp> decided_at{};
    std::optional<std::string> decision_note{};

    std::optional<event::raw_json> result{};
    std::optional<std::string> error{};
    // Runs begun, of all rounds.
    std::int32_t attempts = 0;
    std::optional<std::string> announce_to{};
    std::optional<std::string> created_by{};
    std::optional<std::string> cancelled_by{};
    event::timestamp created_at{};
    std::optional<event::timestamp> started_at{};
    std::optional<event::timestamp> finished_at{};
    event::timestamp updated_at{};
};

// As one JSON object: what programs get on their stdin, and what --json prints.
std::string encode(const task& what);

// Calls a worker to a task.
struct task_dispatched
{
    static constexpr std::string_view event_type = "agent.task.dispatched";
    static constexpr int event_version = 1;

    event::uuid agent_task_id{};
};

// Tell the context that a task's announce_to names.
struct task_waiting
{
    static constexpr std::string_view event_type = "agent.task.waiting_for_approval";
    static constexpr int event_version = 1;

    event::uuid agent_task_id{};
    task_status status{};
};
struct task_finished
{
    static constexpr std::string_view event_type = "agent.task.finished";
    static constexpr int event_version = 1;

    event::uuid agent_task_id{};
    task_status status{};
};

// As they come from the database.
void read_field(const pg::field& from, task_status& out);

}

namespace cuebox::event {

void read_field(const pg::field& from, raw_json& out);

template <>
struct enum_names<agent_tasks::task_status>
{
    using enum agent_tasks::task_status;
    static constexpr std::pair<std::string_view, agent_tasks::task_status> values[] = {
        {"pending", pending},
        {"running", running},
        {"waiting_for_approval", waiting_for_approval},
        {"succeeded", succeeded},
        {"failed", failed},
        {"cancelled", cancelled},
    };
};

}
