#include "watched_run.hpp"

#include <cuebox/config/duration.hpp>
#include <cuebox/policy/failure.hpp>
#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/runtime/scope.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace cuebox::agent_tasks {

namespace {

// What the coroutines of a run share; on one executor, and gone after all of them.
struct watched
{
    explicit watched(const asio::any_io_executor& on) : work(on), bell(on), alarm(on) {}

    scope work;
    asio::steady_timer bell;  // Rings when it is time to look.
    asio::steady_timer alarm; // Rings when it has taken too long.
    run_end end{};
    bool ended = false;
    bool overdue = false;
};

// Ends those that watch, too: one of them may wait for a database that does not answer.
awaitable<void> perform(const executor_registry::entry& by, const task& what, const task_run& run,
                        watched& all)
{
    try {
        all.end.outcome = co_await by.run(what, run);
    }
    catch (...) {
        all.end.thrown = std::current_exception();
    }
    all.ended = true;
    all.work.cancel();
}

void call_off(task_run& run, watched& all)
{
    run.call_off();
    all.work.cancel();
}

// Trouble with the database is no reason to end a run: its result may come when that is over.
awaitable<std::optional<std::string>> look(const task_run& run)
{
    std::optional<std::string> unwanted;
    try {
        unwanted = co_await run.why_unwanted();
    }
    catch (const std::exception& error) {
        if (cuebox::detail::is_cancellation(std::current_exception()))
            throw;
        run.log().warning("could not see whether a task is still wanted",
                          {{"error", std::string_view(error.what())}});
    }
    co_return unwanted;
}

awaitable<void> look_after(task_run& run, duration watch, watched& all)
{
    while (!all.ended && !all.overdue) {
        all.bell.expires_after(watch);
        co_await all.bell.async_wait(asio::use_awaitable);
        auto unwanted = co_await look(run);
        if (unwanted && !all.ended && !all.overdue) {
            all.end.unwanted = std::move(unwanted);
            call_off(run, all);
            break;
        }
    }
}

awaitable<void> keep_time(task_run& run, watched& all)
{
    // What ends at once has told nobody of us.
    if (all.ended)
        co_return;
    all.alarm.expires_at(run.deadline());
    co_await all.alarm.async_wait(asio::use_awaitable);
    if (!all.ended && !all.end.unwanted) {
        all.overdue = true;
        call_off(run, all);
    }
}

}

awaitable<run_end> run_watched(const executor_registry::entry& by, const task& what, task_run& run,
                               duration watch)
{
    watched all{co_await asio::this_coro::executor};
    all.work.spawn(perform(by, what, run, all));
    if (watch > duration{})
        all.work.spawn(look_after(run, watch, all));
    if (by.how.timeout > duration{})
        all.work.spawn(keep_time(run, all));
    co_await all.work.join();

    // What it gave before it could be ended counts.
    if (all.end.outcome)
        all.end.unwanted.reset();
    else if (all.overdue)
        all.end.thrown = std::make_exception_ptr(transient_error(
            "timeout", "took longer than " + config::print_duration(by.how.timeout)));
    co_return std::move(all.end);
}

}
