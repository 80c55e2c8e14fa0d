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
    std::string why = "no executor for tasks of kind \"" + kind + "\": this worker has";
    const char* between = " ";
    for (const std::string& each : known.kinds()) {
        why += between + each;
        between = ", ";
    }
    return known.kinds().empty() ? why + " none" : why;
}

// The task, if this delivery is to run it. Else why not is said, and there is nothing to do.
awaitable<std::optional<task>> start(const delivery<task_dispatched>& event)
{
    const event::uuid id = event->agent_task_id;
    auto work = co_await event.begin();
    const auto said = co_await work->query_one<std::string>(start_statement, id, event.event_id(),
                                                            event.claim_token());
    std::optional<task> found;
    if (said == "run")
        found = co_await get_task(*work, id);
    co_await work->commit();
    if (said == "missing")
        throw terminal_error("there is no agent task " + print(id));
    if (said == "stale")
        throw std::runtime_error("agent task " + print(id) + " is run by a later claim");
    if (!found)
        event.log().info("nothing to run", {{"agent_task_id", print(id)}, {"task", said}});
    co_return found;
}

// What can be written: an executor may give anything.
void check_json(const std::string& json, const char* what)
{
    try {
        event::check_json(json);
    }
    catch (const event::payload_error& error) {
        throw terminal_error(std::string(what) +
                             " of the executor is no JSON for Postgres: " + error.what());
    }
    if (event::printed_size(json) > outcome_max)
        throw terminal_error(std::string(what) + " of the executor is more than 1 MiB of JSON");
}

// Of a run that has an outcome other than failure. Throws the failure.
record record_of(outcome&& given)
{
    if (auto* lost = std::get_if<failed>(&given)) {
        if (lost->terminal)
            throw terminal_error(lost->reason);
        throw std::runtime_error(lost->reason);
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

// Records it. False: the task is over otherwise, and its event has done its work.
awaitable<bool> settle(const delivery<task_dispatched>& event, const record& what)
{
    const auto refused = co_await write(event, what);
    if (!refused || *refused == to_string(what.status))
        co_return true;
    const std::string id = print(event->agent_task_id);
    if (*refused == "stale" || *refused == "missing")
        throw std::runtime_error("what came of agent task " + id + " was refused: it is " +
                                 (*refused == "stale" ? "run by a later claim" : "gone"));
    event.log().info("what came of a run was refused", {{"agent_task_id", id}, {"task", *refused}});
    co_return false;
}

awaitable<run_end> run(const setup& with, const task& what, const task_run& run)
{
    const auto* by = with.executors.find(what.kind);
    if (!by)
        throw terminal_error(unknown_kind(what.kind, with.executors));
    return run_watched(*by, what, run, with.watch);
}

// The run, as what is to be recorded; none when nobody wants it. `thrown` is what the delivery is
// to end with.
awaitable<std::optional<record>> run_to_record(const setup& with, const task& what,
                                               const delivery<task_dispatched>& event,
                                               std::exception_ptr& thrown)
{
    const task_run context{event};
    std::optional<record> made;
    try {
        run_end end = co_await run(with, what, context);
        if (end.unwanted)
            co_return std::nullopt;
        if (end.thrown)
            std::rethrow_exception(end.thrown);
        made = record_of(std::move(*end.outcome));
    }
    catch (...) {
        thrown = std::current_exception();
    }
    // Told to end, by a stop or a lost lease: the task stays as it is, for the next to take over.
    const auto told = co_await asio::this_coro::cancellation_state;
    if (thrown && told.cancelled() != asio::cancellation_type::none)
        std::rethrow_exception(thrown);
    if (thrown)
        made = record_of(thrown, with, event.attempt());
    co_return made;
}

awaitable<void> handle(std::shared_ptr<const setup> with, delivery<task_dispatched> event)
{
    const std::optional<task> found = co_await start(event);
    if (!found)
        co_return;
    std::exception_ptr thrown;
    const auto made = co_await run_to_record(*with, *found, event, thrown);
    if (!made) {
        event.log().info("a run was ended: its task is not wanted any more",
                         {{"agent_task_id", print(found->id)}});
        co_return;
    }
    const bool counts = co_await settle(event, *made);
    if (counts && thrown)
        std::rethrow_exception(thrown);
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
        {.retry = options.retry, .timeout = {}, .terminal = std::move(options.terminal)});
}

}
