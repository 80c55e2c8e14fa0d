#include "statements.hpp"
#include "watched_run.hpp"

#include <cuebox/event/check.hpp>
#include <cuebox/event/printed_size.hpp>
#include <cuebox/handlers/agent_tasks/limits.hpp>
#include <cuebox/handlers/agent_tasks/task_handler.hpp>
#include <cuebox/handlers/agent_tasks/tasks.hpp>
#include <cuebox/handling/run_handler.hpp>
#include <cuebox/pg/error.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace cuebox::agent_tasks {

namespace {

// A run may have cost minutes: the database gets that long to come back and hear of it.
constexpr int record_tries = 6;
constexpr std::chrono::seconds record_pause{1};

struct setup
{
    executor_registry executors;
    duration watch;
    // Whose policy and judgement decide what a failure means.
    handling::handler policy;
};

// What is written about a run.
struct record
{
    task_status status{};
    std::optional<std::string> body{};
    std::optional<std::string> error{};
    std::optional<event::uuid> conversation_id{};
};

std::string print(const event::uuid& id)
{
    return event::print_uuid(id);
}

std::string unknown_kind(const std::string& kind, const executor_registry& known)
{
    std::string why = "tasks of kind \"" + kind + "\" have none: this worker has";
    const char* between = " ";
    for (const std::string& each : known.kinds()) {
        why += between + each;
        between = ", ";
    }
    return known.kinds().empty() ? why + " none" : why;
}

// A task that is over, or waits, or has another event by now. Anything else needs a run.
bool is_settled(std::string_view how)
{
    return how == "succeeded" || how == "waiting_for_approval" || how == "cancelled" ||
           how == "superseded";
}

// Returns only when the event has done its work, although nothing came of it. Otherwise the task
// still needs a run, and the event, if it is still ours, is what brings it.
void accept_refusal(const delivery<task_dispatched>& event, const std::string& why)
{
    const std::string id = print(event->agent_task_id);
    if (why == "missing")
        throw terminal_error("no such task", "there is no agent task " + id);
    if (why == "stale")
        throw transient_error("later claim", "agent task " + id + " is run by a later claim");
    if (!is_settled(why))
        throw transient_error("later run", "agent task " + id + " is " + why +
                                               ": another run of it has ended meanwhile");
    event.log().info("the task needs no run", {{"agent_task_id", id}, {"task", why}});
}

// Before the fence is taken: where this is a broadcast another context may be running the task.
void require_executor(const executor_registry& known, const task& what,
                      const delivery<task_dispatched>& event)
{
    const bool over =
        is_settled(to_string(what.status)) || what.dispatch_event_id != event.event_id();
    if (!over && !known.find(what.kind))
        throw terminal_error("no executor", unknown_kind(what.kind, known));
}

// The task, if this delivery is to run it; none when it needs no run.
awaitable<std::optional<task>> start(const executor_registry& known,
                                     const delivery<task_dispatched>& event)
{
    const event::uuid id = event->agent_task_id;
    auto work = co_await event.begin();
    const auto before = co_await get_task(*work, id);
    if (before)
        require_executor(known, *before, event);
    const auto said = co_await work->query_one<std::string>(start_statement, id, event.event_id(),
                                                            event.claim_token());
    std::optional<task> found;
    if (said == "run")
        found = co_await get_task(*work, id);
    co_await work->commit();
    if (!found)
        accept_refusal(event, said);
    co_return found;
}

// What can be written: an executor may give anything.
void check_json(const std::string& json, const char* what)
{
    try {
        event::check_json(json);
    }
    catch (const event::payload_error& error) {
        throw terminal_error("bad outcome",
                             std::string(what) +
                                 " of the executor is no JSON for Postgres: " + error.what());
    }
    if (event::printed_size(json) > outcome_max)
        throw terminal_error("bad outcome",
                             std::string(what) + " of the executor is more than 1 MiB of JSON");
}

// Of a run that has an outcome other than failure. Throws the failure.
record record_of(outcome&& given)
{
    if (auto* lost = std::get_if<failed>(&given)) {
        if (lost->terminal)
            throw terminal_error(lost->error_class, lost->reason);
        throw transient_error(lost->error_class, lost->reason);
    }
    if (auto* paused = std::get_if<needs_approval>(&given)) {
        check_json(paused->request, "the request");
        return {.status = task_status::waiting_for_approval,
                .body = std::move(paused->request),
                .error = {},
                .conversation_id = paused->conversation_id};
    }
    auto& done = std::get<completed>(given);
    check_json(done.result, "the result");
    return {.status = task_status::succeeded,
            .body = std::move(done.result),
            .error = {},
            .conversation_id = done.conversation_id};
}

record record_of(const std::exception_ptr& thrown, const setup& with, int attempt)
{
    const policy::failure why = handling::classify(thrown, with.policy);
    const bool last = why.terminal || attempt > with.policy.retry.max_retries;
    return {.status = last ? task_status::failed : task_status::pending,
            .body = {},
            .error = why.reason,
            .conversation_id = {}};
}

// None, or why it was refused.
awaitable<std::optional<std::string>> write_once(const delivery<task_dispatched>& event,
                                                 const record& what)
{
    std::optional<pg::json> body;
    if (what.body)
        body = pg::json{*what.body};
    auto work = co_await event.begin();
    const auto refused = co_await work->query_one<std::optional<std::string>>(
        record_statement, event->agent_task_id, event.claim_token(), to_string(what.status), body,
        what.error, what.conversation_id);
    co_await work->commit();
    co_return refused;
}

// Whether the database is away, rather than against it.
bool may_pass(const pg::error& error)
{
    switch (error.code()) {
    case pg::errc::connect:
    case pg::errc::lost:
    case pg::errc::timed_out:
    case pg::errc::commit_unknown:
    case pg::errc::exhausted:
        return true;
    case pg::errc::server:
        // Connection trouble, conflicts with others, no room, an administrator.
        return error.in_class("08") || error.in_class("40") || error.in_class("53") ||
               error.in_class("57");
    case pg::errc::shape:
    case pg::errc::usage:
        return false;
    }
    return false;
}

// Written twice, because it was not known whether the first time counted, it is refused the second
// time with the status that was written.
awaitable<std::optional<std::string>> write(const delivery<task_dispatched>& event,
                                            const record& what)
{
    asio::steady_timer pause(co_await asio::this_coro::executor);
    for (int tries = 1;; ++tries) {
        try {
            co_return co_await write_once(event, what);
        }
        catch (const pg::error& error) {
            if (!may_pass(error) || tries == record_tries)
                throw;
            event.log().warning("could not record a run, and will try again",
                                {{"error", std::string_view(error.what())}});
        }
        pause.expires_after(record_pause * (1 << (tries - 1)));
        co_await pause.async_wait(asio::use_awaitable);
    }
}

// Records it. False: the task is over otherwise, and its event has done its work. Throws when it is
// not, and needs a run.
awaitable<bool> settle(const delivery<task_dispatched>& event, const record& what)
{
    const auto refused = co_await write(event, what);
    if (!refused || *refused == to_string(what.status))
        co_return true;
    accept_refusal(event, *refused);
    co_return false;
}

time_point deadline_of(const executor_registry::entry& by)
{
    const duration timeout = by.how.timeout;
    return timeout > duration{} ? std::chrono::steady_clock::now() + timeout : time_point::max();
}

// A run as what is to be recorded, or as why nobody wants it. `thrown` is what the delivery is to
// end with.
struct ended_run
{
    std::optional<record> made{};
    std::optional<std::string> unwanted{};
    std::exception_ptr thrown{};
};

awaitable<ended_run> run_to_record(const setup& with, const task& what,
                                   const delivery<task_dispatched>& event)
{
    const executor_registry::entry& by = *with.executors.find(what.kind);
    task_run context{event, deadline_of(by)};
    ended_run ended;
    try {
        run_end end = co_await run_watched(by, what, context, with.watch);
        ended.unwanted = std::move(end.unwanted);
        if (ended.unwanted)
            co_return ended;
        if (end.thrown)
            std::rethrow_exception(end.thrown);
        ended.made = record_of(std::move(*end.outcome));
    }
    catch (...) {
        ended.thrown = std::current_exception();
    }
    // Told to end, by a stop or a lost lease: the task stays as it is, for the next to take over.
    const auto told = co_await asio::this_coro::cancellation_state;
    if (ended.thrown && told.cancelled() != asio::cancellation_type::none)
        std::rethrow_exception(ended.thrown);
    if (ended.thrown)
        ended.made = record_of(ended.thrown, with, event.attempt());
    co_return ended;
}

awaitable<void> handle(std::shared_ptr<const setup> with, delivery<task_dispatched> event)
{
    const std::optional<task> found = co_await start(with->executors, event);
    if (!found)
        co_return;
    const ended_run ended = co_await run_to_record(*with, *found, event);
    if (ended.unwanted) {
        event.log().info("a run was ended: its result would be refused",
                         {{"agent_task_id", print(found->id)}, {"task", *ended.unwanted}});
        accept_refusal(event, *ended.unwanted);
        co_return;
    }
    const bool counts = co_await settle(event, *ended.made);
    if (counts && ended.thrown)
        std::rethrow_exception(ended.thrown);
}

}

handling::handler make_task_handler(std::string name, executor_registry executors,
                                    task_handler_options options)
{
    handling::handler policy;
    policy.retry = options.retry;
    policy.terminal = options.terminal;
    const auto with = std::make_shared<const setup>(
        setup{std::move(executors), options.watch, std::move(policy)});
    auto run = [with](delivery<task_dispatched> event) { return handle(with, std::move(event)); };
    return make_handler<task_dispatched>(
        std::move(name), std::move(run),
        {.retry = options.retry,
         .timeout = {},
         .terminal = std::move(options.terminal),
         // agent_task_start is the gate. A dedup record would outlive a run that lost its fence.
         .own_gate = true});
}

}
