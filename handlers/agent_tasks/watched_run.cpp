#include "watched_run.hpp"

#include <cuebox/config/duration.hpp>
#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/runtime/scope.hpp>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <stdexcept>

namespace cuebox::agent_tasks {

namespace {

using timer_clock = std::chrono::steady_clock;

// What the two coroutines of a run share; on one executor, and gone after both.
struct watched
{
    explicit watched(const asio::any_io_executor& on) : work(on), bell(on) {}

    scope work;
    asio::steady_timer bell; // Rings when it is time to look; cancelled, when the run has ended.
    run_end end{};
    bool ended = false;
    bool overdue = false;
};

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
    all.bell.cancel();
}

// Trouble with the database is no reason to end a run: its result may come when that is over.
awaitable<bool> look(const task_run& run)
{
    bool unwanted = false;
    try {
        unwanted = co_await run.unwanted();
    }
    catch (const std::exception& error) {
        if (cuebox::detail::is_cancellation(std::current_exception()))
            throw;
        run.log().warning("could not see whether a task is still wanted",
                          {{"error", std::string_view(error.what())}});
    }
    co_return unwanted;
}

awaitable<void> stand_by(const task_run& run, duration watch, duration timeout, watched& all)
{
    const auto until =
        timeout > duration{} ? timer_clock::now() + timeout : timer_clock::time_point::max();
    while (!all.ended) {
        const auto next =
            watch > duration{} ? timer_clock::now() + watch : timer_clock::time_point::max();
        all.bell.expires_at(std::min(next, until));
        boost::system::error_code rung;
        co_await all.bell.async_wait(asio::redirect_error(asio::use_awaitable, rung));
        if (all.ended)
            break;
        all.overdue = timer_clock::now() >= until;
        if (!all.overdue)
            all.end.unwanted = co_await look(run);
        if (!all.ended && (all.overdue || all.end.unwanted)) {
            all.work.cancel();
            break;
        }
    }
}

}

awaitable<run_end> run_watched(const executor_registry::entry& by, const task& what,
                               const task_run& run, duration watch)
{
    watched all{co_await asio::this_coro::executor};
    all.work.spawn(perform(by, what, run, all));
    all.work.spawn(stand_by(run, watch, by.how.timeout, all));
    co_await all.work.join();

    // What it gave before it could be ended counts.
    if (all.end.outcome)
        all.end.unwanted = false;
    else if (all.overdue)
        all.end.thrown = std::make_exception_ptr(std::runtime_error(
            "took longer than its timeout of " + config::print_duration(by.how.timeout)));
    co_return std::move(all.end);
}

}
