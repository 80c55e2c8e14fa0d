#include "statements.hpp"

#include <cuebox/event/check.hpp>
#include <cuebox/event/printed_size.hpp>
#include <cuebox/handlers/agent_tasks/limits.hpp>
#include <cuebox/handlers/agent_tasks/tasks.hpp>

namespace cuebox::agent_tasks {

namespace {

void check_input(const std::string& input)
{
    event::check_json(input);
    if (event::printed_size(input) > input_max)
        throw event::payload_error("", "the input of a task is at most 256 KiB of JSON");
}

// What may be recorded of a task that has this status: one whose worker died, or whose event waits,
// has another than it seems.
std::vector<std::string> recorded_as(task_status status)
{
    using enum task_status;
    if (status == pending || status == running || status == failed)
        return {"pending", "running", "failed"};
    return {std::string(to_string(status))};
}

std::optional<std::string> unless_empty(std::string text)
{
    return text.empty() ? std::nullopt : std::optional(std::move(text));
}

}

// The database writes the event, with the rights of the function's owner: who may decide on a task
// need not be one who may publish.
pg::awaitable<event::uuid> create_task(pg::transaction& within, const outbox::publisher& publisher,
                                       new_task what)
{
    check_input(what.input);
    const task_dispatched payload{.agent_task_id = what.id.value_or(event::new_event_id())};
    outbox::event_options how;
    how.target = what.target;
    how.domain_id = what.domain_id;
    how.processing_class = what.processing_class;
    how.delay = what.delay;
    const outbox::outgoing event = publisher.prepare(payload, how);
    pg::params values(std::in_place, what.kind, event.envelope.source, event.generation,
                      pg::json{what.input}, what.target, unless_empty(what.processing_class),
                      what.created_by, what.conversation_id, what.domain_id, what.trigger_event_id,
                      what.announce_to, what.delay, event.envelope.trace_context,
                      payload.agent_task_id, event.envelope.event_id);
    co_await within.execute(create_statement, std::move(values));
    outbox::tell_after_commit(within, event);
    co_return payload.agent_task_id;
}

pg::awaitable<event::uuid> approve_task(pg::transaction& within, const outbox::publisher& publisher,
                                        decision what)
{
    const task_dispatched payload{.agent_task_id = what.task};
    const outbox::outgoing event = publisher.prepare(payload);
    pg::params values(std::in_place, what.task, event.generation, what.by, what.note, what.approval,
                      event.envelope.trace_context, event.envelope.event_id);
    co_await within.execute(approve_statement, std::move(values));
    outbox::tell_after_commit(within, event);
    co_return event.envelope.event_id;
}

pg::awaitable<void> reject_task(pg::transaction& within, decision what)
{
    co_await within.execute(reject_statement, what.task, what.by, what.note, what.approval);
}

pg::awaitable<void> cancel_task(pg::transaction& within, event::uuid id, std::string by,
                                std::optional<std::string> reason)
{
    co_await within.execute(cancel_statement, id, by, reason);
}

pg::awaitable<std::optional<task>> get_task(pg::transaction& within, event::uuid id)
{
    return within.query_first<task>(get_statement, id);
}

pg::awaitable<std::vector<task>> list_tasks(pg::transaction& within, task_filter which)
{
    std::optional<std::string> status;
    std::optional<std::vector<std::string>> recorded;
    if (which.status) {
        status = to_string(*which.status);
        recorded = recorded_as(*which.status);
    }
    return within.query<task>(list_statement, status, which.kind, which.conversation_id,
                              which.domain_id, which.before, which.limit, recorded);
}

}
