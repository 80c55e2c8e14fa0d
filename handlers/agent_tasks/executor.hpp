#pragma once

#include <cuebox/handlers/agent_tasks/task.hpp>
#include <cuebox/handlers/delivery.hpp>
#include <cuebox/runtime/awaitable.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <stop_token>
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
    // What dead letters are grouped by.
    std::string error_class = "task_failed";
};
using outcome = std::variant<completed, needs_approval, failed>;

// One run of a task.
class task_run
{
public:
    // `until` is when its executor is called off.
    explicit task_run(delivery<task_dispatched> event, time_point until = time_point::max());
    task_run(const task_run&) = delete;
    task_run& operator=(const task_run&) = delete;

    // For a receiver that does something once for each round of a task: "<task id>:<round>".
    const std::string& idempotency_key() const noexcept;
    // For a receiver that remembers the greatest: a later run has a greater one.
    const event::uuid& fencing_token() const noexcept { return event_.claim_token(); }
    // 1 for the first run of the round, 2 for its first retry…
    int attempt() const noexcept { return event_.attempt(); }
    // When it is cancelled if it has not returned by then.
    time_point deadline() const noexcept { return std::min(event_.deadline(), until_); }
    const std::optional<event::traceparent>& trace() const noexcept { return event_.trace(); }
    const telemetry::logger& log() const noexcept { return event_.log(); }
    // For loops that compute; what an executor awaits is cancelled by itself. Requested when the
    // worker stops or has lost the event, when the time is up, and when the task is unwanted.
    const std::stop_token& stop() const noexcept { return stop_; }
    // A short transaction of the executor's own.
    awaitable<own_transaction> begin() const { return event_.begin(); }

    // Whether somebody has cancelled the task, or another worker has it: the result would be
    // refused. A look at the database, for between two steps that cost something.
    awaitable<bool> unwanted() const;
    // Why it is: what the result would be refused with.
    awaitable<std::optional<std::string>> why_unwanted() const;

    // For who runs the executor.
    void call_off() { calling_off_.request_stop(); }

private:
    struct pass_on
    {
        std::stop_source to;
        void operator()() { to.request_stop(); }
    };

    delivery<task_dispatched> event_;
    time_point until_;
    std::stop_source calling_off_;
    std::stop_token stop_ = calling_off_.get_token();
    // What ends the delivery ends the run.
    std::stop_callback<pass_on> delivery_stops_{event_.stop(), pass_on{calling_off_}};
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
