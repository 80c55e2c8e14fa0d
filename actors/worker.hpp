#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/handling/verdict.hpp>
#include <cuebox/runtime/scope.hpp>
#include <cuebox/runtime/self.hpp>

#include <deque>
#include <span>
#include <stop_token>

namespace cuebox::actors {

// The row whose handlers run, and why they were told to end, if they were.
struct row_job
{
    held_row held{};
    std::weak_ptr<hand> from{};
    std::shared_ptr<const handling::handler_set> handlers{};
    // Those of the set that listen for the row.
    std::span<const handling::handler_ptr> turns{};
    std::vector<handling::handler_run> runs{};
    decltype(outbox::settlement::handled) handled{};
    bool lost = false;
    bool overdue = false;
    // Its outcome is on its way.
    bool concluded = false;
    // The run that may take too long; none has this number. And what rings then.
    std::uint64_t timed_run = 0;
    std::uint64_t alarm = 0;
};

// Runs the handlers of one leased row at a time and tells the settler what became of it. It begins
// with the row that it is given and goes on with those that wait.
class worker
{
public:
    using messages = worker_messages;
    static constexpr std::string_view kind = "worker";

    worker(company_ptr company, std::size_t index);

    awaitable<void> run(self<messages>& me);

private:
    awaitable<void> perform(self<messages>& me);
    awaitable<void> run_handlers(self<messages>& me);
    awaitable<handling::handler_result> run_one(const handling::handler& what,
                                                handling::arrival&& with);
    awaitable<handling::handler_result> run_within(const handling::handler& what,
                                                   handling::arrival&& with);
    void begin(run_row given);
    void take_up(held_row next);
    bool go_on(self<messages>& me);
    void call_off(scope& work);
    bool called_off(const self<messages>& me) const;
    void note_given_up(const std::exception& why) const;
    void conclude(self<messages>& me);
    void finish(self<messages>& me);

    company_ptr company_;
    std::size_t index_;
    std::shared_ptr<desk> desk_;
    std::optional<row_job> job_;
    // These are the same for every job, until one is told to end: then it takes the source along.
    std::stop_source stop_;
    std::shared_ptr<const handling::arrival::opener> begin_;
    // What the clock said last: the next handler begins when the one before has ended.
    time_point now_{};
    std::uint64_t runs_ = 0;
    // From a claimer that was restarted and does not know that we are busy.
    std::deque<run_row> next_;
};

}
