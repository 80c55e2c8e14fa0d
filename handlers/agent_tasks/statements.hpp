#pragma once

#include <cuebox/pg/statement.hpp>

// The SQL of agent tasks. Private to this folder.
namespace cuebox::agent_tasks {

inline constexpr pg::statement create_statement{.name = "create agent task", .sql = R"(
select platform.agent_task_create($1, $2, $3, $4, p_target => $5, p_class => $6, p_created_by => $7,
    p_conversation_id => $8, p_domain_id => $9, p_trigger_event_id => $10, p_announce_to => $11,
    p_available_at => now() + $12, p_trace_context => $13, p_id => $14, p_event_id => $15))"};

inline constexpr pg::statement approve_statement{
    .name = "approve agent task",
    .sql = "select platform.agent_task_approve($1, $2, $3, $4, $5, $6, $7)"};

inline constexpr pg::statement reject_statement{
    .name = "reject agent task", .sql = "select platform.agent_task_reject($1, $2, $3, $4)"};

inline constexpr pg::statement cancel_statement{
    .name = "cancel agent task", .sql = "select platform.agent_task_cancel($1, $2, $3)"};

inline constexpr pg::statement get_statement{
    .name = "get agent task", .sql = "select * from platform.agent_task_states where id = $1"};

// What is recorded narrows it down by index; what it comes to is decided by the event, too.
inline constexpr pg::statement list_statement{.name = "list agent tasks", .sql = R"(
select * from platform.agent_task_states
where ($1::text is null or status = $1) and ($7::text[] is null or recorded_status = any ($7))
  and ($2::text is null or kind = $2) and ($3::uuid is null or conversation_id = $3)
  and ($4::uuid is null or domain_id = $4) and ($5::uuid is null or id < $5)
order by id desc limit $6)"};

inline constexpr pg::statement start_statement{
    .name = "start agent task", .sql = "select platform.agent_task_start($1, $2, $3)"};

inline constexpr pg::statement unwanted_statement{
    .name = "is agent task wanted", .sql = "select platform.agent_task_unwanted($1, $2)"};

inline constexpr pg::statement record_statement{
    .name = "record agent task",
    .sql = "select platform.agent_task_record($1, $2, $3, $4, $5, $6)"};

}
