#pragma once

#include "agent_tasks/office.hpp"

#include <future>

namespace cuebox::agent_tasks::test {

// Waits until the test lets it go on; tells the test that it began, and that it was ended.
struct held_executor
{
    ledger& book;
    std::shared_ptr<std::promise<void>> gate = std::make_shared<std::promise<void>>();
    std::shared_ptr<std::shared_future<void>> opened =
        std::make_shared<std::shared_future<void>>(gate->get_future());

    static awaitable<outcome> hold(held_executor self, const task_run& run)
    {
        if (run.deadline() != time_point::max())
            self.note("has a deadline");
        self.note("began");
        asio::steady_timer timer(co_await asio::this_coro::executor);
        try {
            while (self.opened->wait_for(0s) != std::future_status::ready) {
                timer.expires_after(1ms);
                co_await timer.async_wait(asio::use_awaitable);
            }
        }
        catch (...) {
            if (run.stop().stop_requested())
                self.note("told to stop");
            self.note("ended");
            throw;
        }
        self.note("done");
        co_return completed{.result = '"' + event::print_uuid(run.fencing_token()) + '"'};
    }
    awaitable<outcome> operator()(const task&, const task_run& run) const
    {
        return hold(*this, run);
    }
    void note(std::string what) const
    {
        book.change([&](ledger& all) { all.lines.push_back(std::move(what)); });
    }
};

inline std::size_t times(const ledger& book, std::string_view what)
{
    return static_cast<std::size_t>(std::ranges::count(book.lines, what));
}

inline bool noted(ledger& book, std::string_view what, std::size_t often = 1)
{
    return book.wait([&](const ledger& all) { return times(all, what) >= often; });
}

inline executor_registry holding(const held_executor& held)
{
    executor_registry executors;
    executors.on("hold", held);
    return executors;
}

}
