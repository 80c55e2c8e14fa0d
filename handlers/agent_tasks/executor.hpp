#pragma once

#include <cuebox/handlers/agent_tasks/task.hpp>
#include <cuebox/handlers/delivery.hpp>
#include <cuebox/runtime/awaitable.hpp>

#include <functional>
#include <map>
#include <string>
#include <variant>
#include <vector>

namespace cuebox::agent_tasks {

// How a run ends; nothing else is one. What an executor throws is a failure too: a terminal_error
// for good, anything else to be tried again.
struct completed
{
    // JSON.
    std::string result = "null";
    // A conversation that the run has begun, to be linked.
    std::optional<event::uuid> conversation_id{};
};
struct needs_approval
{
    // JSON: what is to be approved. The task is paused; approved, it runs again from the start, and
    // sees the request and the decision.
    std::string request = "{}";
    std::optional<event::uuid> conversation_id{};
};
struct failed
{
    std::string reason{};
    // Trying again is pointless.
    bool terminal = false;
};
using outcome = std::variant<completed, needs_approval, failed>;

// One run of a task.
class task_run
{
public:
    explicit task_run(delivery<task_dispatched> event);

    // For a receiver that does something once for each round of a task: "<task id>:<round>".
    const std::string& idempotency_key() const noexcept;
    // For a receiver that remembers the greatest: a later run has a greater one.
    const event::uuid& fencing_token() const noexcept { return event_.claim_token(); }
    // 1 for the first run of the round, 2 for its first retry…
    int attempt() const noexcept { return event_.attempt(); }
    time_point deadline() const noexcept { return event_.deadline(); }
    const std::optional<event::traceparent>& trace() const noexcept { return event_.trace(); }
    const telemetry::logger& log() const noexcept { return event_.log(); }
    // For loops that compute; what an executor awaits is cancelled by itself.
    const std::stop_token& stop() const noexcept { return event_.stop(); }
    // A short transaction of the executor's own.
    awaitable<own_transaction> begin() const { return event_.begin(); }

    // Whether somebody has cancelled the task, or another worker has it: the result would be
    // refused. A look at the database, for between two steps that cost something.
    awaitable<bool> unwanted() const;

private:
    delivery<task_dispatched> event_;
};

// Runs tasks of one kind. It may be called for several tasks at a time, and, where contexts run on
// several threads, by several threads. Both arguments live until it returns.
using executor = std::function<awaitable<outcome>(const task& what, const task_run& run)>;

// The executors of a service, by the kind of task.
//
//     agent_tasks::executor_registry executors;
//     executors.on("summarise", &summarise, {.timeout = 10min});
class executor_registry
{
public:
    struct options
    {
        // How long a run may take before it is cancelled and tried again; zero is as long as it
        // likes.
        duration timeout{};
    };
    struct entry
    {
        executor run{};
        options how{};
    };

    // Throws handling::handler_error for a kind that is empty or there twice.
    executor_registry& on(std::string kind, executor run, options how);
    executor_registry& on(std::string kind, executor run)
    {
        return on(std::move(kind), std::move(run), options{});
    }

    // Null when there is none.
    const entry* find(std::string_view kind) const;
    std::vector<std::string> kinds() const;

private:
    std::map<std::string, entry, std::less<>> executors_;
};

}
