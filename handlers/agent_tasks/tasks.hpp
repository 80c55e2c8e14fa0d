#pragma once

#include <cuebox/handlers/agent_tasks/task.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/pg/transaction.hpp>

#include <chrono>
#include <vector>

// Agent tasks as producers and people see them. Every function works in the caller's transaction:
// the row, its event and the caller's own business commit together or not at all. A transition that
// there is none from where a task is, is refused by the database with a pg::error that says where
// it is.
namespace cuebox::agent_tasks {

struct new_task
{
    // Which executor runs it.
    std::string kind{};
    // JSON for that executor.
    std::string input = "{}";
    std::optional<event::uuid> conversation_id{};
    std::optional<event::uuid> domain_id{};
    // The event that it is made because of.
    std::optional<event::uuid> trigger_event_id{};
    // The context that runs it. Needed where several listen for tasks: each of them would run it.
    std::optional<std::string> target{};
    std::string processing_class{};
    // Not to be run before this has passed.
    std::chrono::microseconds delay{};
    // The context that gets agent.task.waiting_for_approval and agent.task.finished.
    std::optional<std::string> announce_to{};
    // Who wants it, for the record.
    std::optional<std::string> created_by{};
    // Its id, from who must not make it twice: a second one is refused. None is a new one.
    std::optional<event::uuid> id{};
};

// The row, and the event that calls a worker; gives the task's id. Throws event::payload_error for
// an input that is no JSON or too large, before the transaction sees it.
pg::awaitable<event::uuid> create_task(pg::transaction& within, const outbox::publisher& publisher,
                                       new_task what);

struct decision
{
    event::uuid task{};
    // Who decides: kept for good.
    std::string by{};
    std::optional<std::string> note{};
    // Only if it is this request that the task still waits for; none is whichever it is.
    std::optional<event::uuid> approval{};
};

// Resumes a task that waits, in a new round, at the publisher's generation; gives the event's id.
pg::awaitable<event::uuid> approve_task(pg::transaction& within, const outbox::publisher& publisher,
                                        decision what);
// Ends it as cancelled.
pg::awaitable<void> reject_task(pg::transaction& within, decision what);

// Ends a task that is not over. One that runs is told so, and its result is refused.
pg::awaitable<void> cancel_task(pg::transaction& within, event::uuid id, std::string by,
                                std::optional<std::string> reason = {});

pg::awaitable<std::optional<task>> get_task(pg::transaction& within, event::uuid id);

struct task_filter
{
    std::optional<task_status> status{};
    std::optional<std::string> kind{};
    std::optional<event::uuid> conversation_id{};
    std::optional<event::uuid> domain_id{};
    // Those made before this one, to go on where the last list ended.
    std::optional<event::uuid> before{};
    std::int32_t limit = 50;
};

// The newest first.
pg::awaitable<std::vector<task>> list_tasks(pg::transaction& within, task_filter which);

}
