#include "worker.hpp"

#include "hand.hpp"
#include "report_run.hpp"

#include <cuebox/config/duration.hpp>
#include <cuebox/event/timestamp.hpp>
#include <cuebox/pg/transaction.hpp>
#include <cuebox/runtime/cancellation.hpp>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <utility>

namespace cuebox::actors {

namespace {

// Handlers that never wait let others have the loop after so many of them, or after so long.
struct turn_share
{
    static constexpr std::size_t runs_max = 32;
    static constexpr std::chrono::milliseconds time_max{1};

    void add(duration took)
    {
        ++runs;
        time += took;
    }
    bool used_up() const { return runs >= runs_max || time >= time_max; }

    std::size_t runs = 0;
    duration time{};
};

}

worker::worker(company_ptr company, std::size_t index)
    : company_(std::move(company)),
      index_(index),
      begin_(std::make_shared<const handling::arrival::opener>(
          [relay = company_->relay] { return relay->begin(); }))
{}

awaitable<void> worker::run(self<messages>& me)
{
    desk_ = company_->office->open(me.loop());
    scope work{desk_->executor()};
    while (auto message = co_await me.receive()) {
        if (auto* given = std::get_if<run_row>(&*message)) {
            if (job_) {
                next_.push_back(std::move(*given));
                continue;
            }
            begin(std::move(*given));
            work.spawn(perform(me));
        }
        else if (auto* lost = std::get_if<lease_lost>(&*message)) {
            if (job_ && job_->held.row->id == lost->row && job_->held.token == lost->token) {
                job_->lost = true;
                call_off(work);
            }
        }
        else if (auto* late = std::get_if<row_overdue>(&*message)) {
            if (job_ && job_->timed_run == late->run) {
                job_->overdue = true;
                call_off(work);
            }
        }
        else {
            finish(me);
            if (!next_.empty()) {
                begin(std::move(next_.front()));
                next_.pop_front();
                work.spawn(perform(me));
            }
        }
    }
    // A handler that runs may finish, until the stop deadline cancels this wait and with it the
    // handler; either way its row is settled or given back.
    std::exception_ptr cut_short;
    try {
        co_await work.join();
    }
    catch (...) {
        cut_short = std::current_exception();
    }
    finish(me);
    for (run_row& each : next_) {
        begin(std::move(each));
        job_->runs.push_back({.by = {}, .result = {.failure = {}, .cancelled = true}});
        finish(me);
    }
    if (cut_short)
        std::rethrow_exception(cut_short);
}

void worker::begin(run_row given)
{
    job_.emplace().from = std::move(given.from);
    take_up(std::move(given.held));
}

// The job stays, for its memory: rows are many.
void worker::take_up(held_row next)
{
    job_->held = std::move(next);
    job_->handlers = company_->handlers;
    job_->turns = job_->handlers->for_type(job_->held.row->envelope.event_type);
    job_->runs.clear();
    job_->handled.clear();
    job_->concluded = false;
    job_->timed_run = 0;
    job_->alarm = 0;
}

bool worker::called_off(const self<messages>& me) const
{
    return me.stopping() || job_->lost || job_->overdue;
}

// With the next row that waits, if there is one. A job that was called off ends the run: what comes
// next begins with a coroutine that nobody has told to end.
bool worker::go_on(self<messages>& me)
{
    if (called_off(me) || !next_.empty())
        return false;
    const auto from = job_->from.lock();
    auto next = from ? from->go_on(job_->held.row->id, index_, now_) : std::nullopt;
    if (!next)
        return false;
    take_up(std::move(*next));
    if (from->take_news())
        (void)company_->claimer.try_send(hand_moved{});
    return true;
}

void worker::call_off(scope& work)
{
    std::exchange(stop_, {}).request_stop();
    work.cancel();
}

void worker::note_given_up(const std::exception& why) const
{
    company_->log.error("a row was given up", {{"error", std::string_view(why.what())}});
}

// However it goes, the row has an end.
awaitable<void> worker::perform(self<messages>& me)
{
    turn_share share;
    now_ = me.now();
    do {
        // As the handler of the row before may have left it otherwise.
        co_await asio::this_coro::reset_cancellation_state(asio::enable_terminal_cancellation());
        co_await asio::this_coro::throw_if_cancelled(true);
        try {
            co_await run_handlers(me);
            for (const handling::handler_run& each : job_->runs)
                share.add(each.took);
        }
        catch (const std::exception& error) {
            note_given_up(error);
        }
        try {
            // Before others have the loop: in the order in which rows were claimed they are settled
            // at the least cost.
            conclude(me);
            if (share.used_up() && !called_off(me)) {
                share = {};
                co_await asio::post(me.loop().executor(), asio::use_awaitable);
                now_ = me.now();
            }
        }
        catch (const std::exception& error) {
            note_given_up(error); // Its lease brings it back, if nothing else does.
        }
    } while (go_on(me));
    (void)me.address().try_send(row_ended{});
}

awaitable<void> worker::run_handlers(self<messages>& me)
{
    row_job& job = *job_;
    const auto& row = *job.held.row;
    for (const auto& handler : job.turns) {
        handling::handler_run run{.by = handler, .began_at = event::now()};
        const time_point began = now_;
        const bool done = std::ranges::find(job.held.done, handler->name) != job.held.done.end();
        run.duplicate = done;
        // The one before may have returned although it was told to end: this one has no turn, and
        // without it the row is not delivered.
        const auto told = co_await asio::this_coro::cancellation_state;
        if (!done && told.cancelled() != asio::cancellation_type::none) {
            run.result.cancelled = true;
            job.runs.push_back(std::move(run));
            break;
        }
        if (!done) {
            auto arrival = arrive(*company_, job.held.row, job.held.token, run);
            arrival.stop = stop_.get_token();
            if (!handler->transactional())
                arrival.begin = begin_;
            if (handler->timeout > duration{}) {
                arrival.deadline = me.loop().after(handler->timeout);
                job.timed_run = ++runs_;
                job.alarm = me.after(handler->timeout, row_overdue{job.timed_run});
            }
            const at_desk seen(*desk_, *handler, row);
            run.result = co_await run_one(*handler, std::move(arrival));
            if (job.alarm != 0)
                me.cancel(std::exchange(job.alarm, 0));
            job.timed_run = 0;
        }
        now_ = me.now();
        run.took = now_ - began;
        const bool cancelled = run.result.cancelled;
        if (run.result.succeeded() && !done && !handler->transactional() && !handler->own_gate)
            job.handled.push_back(record_of(*handler, row));
        job.runs.push_back(std::move(run));
        if (cancelled)
            break;
    }
}

awaitable<handling::handler_result> worker::run_one(const handling::handler& what,
                                                    handling::arrival&& with)
{
    if (!what.transactional())
        return handling::run_handler(what, std::move(with), nullptr);
    return run_within(what, std::move(with));
}

// A transactional handler beside a leased one: its writes and its dedup record commit together, in
// a transaction of its own; the row is settled later.
awaitable<handling::handler_result> worker::run_within(const handling::handler& what,
                                                       handling::arrival&& with)
{
    handling::handler_result result;
    std::exception_ptr thrown;
    bool begun = false;
    try {
        auto batch = co_await company_->relay->begin();
        begun = true;
        std::vector<outbox::handled_record> key{record_of(what, *job_->held.row)};
        const std::vector<bool> ours = co_await batch->open_gate(std::move(key));
        if (ours.front()) {
            batch->work().lend();
            result = co_await handling::run_handler(what, std::move(with), &batch->work());
            batch->work().take_back();
        }
        if (result.succeeded())
            co_await batch->settle({});
    }
    catch (...) {
        thrown = std::current_exception();
    }
    if (!thrown)
        co_return result;
    const auto told = co_await asio::this_coro::cancellation_state;
    const bool stopped =
        detail::is_cancellation(thrown) && told.cancelled() != asio::cancellation_type::none;
    // Without a connection the handler had no turn: the row goes back, and pays nothing.
    if (stopped || !begun)
        result.cancelled = true;
    else
        result.failure = handling::classify(thrown, what);
    co_return result;
}

// The last row of a run, and with it the run.
void worker::finish(self<messages>& me)
{
    if (!job_)
        return;
    worker_idle idle{.worker = index_, .row = job_->held.row->id};
    if (!job_->concluded)
        conclude(me);
    job_.reset();
    (void)company_->claimer.try_send(std::move(idle));
}

void worker::conclude(self<messages>& me)
{
    row_job& done = *job_;
    const auto& row = *done.held.row;
    done.concluded = true;
    for (handling::handler_run& each : done.runs)
        if (done.overdue && each.result.cancelled)
            each.result = {.failure =
                               policy::failure{.reason = "timeout: took longer than " +
                                                         config::print_duration(each.by->timeout)}};
    // One that had no turn at all, for whatever reason: the row is not delivered without it.
    if (done.runs.size() < done.turns.size() &&
        std::ranges::none_of(done.runs, [](const auto& each) { return !each.result.succeeded(); }))
        done.runs.push_back({.by = {}, .result = {.failure = {}, .cancelled = true}});
    if (done.lost)
        return;
    auto verdict = handling::judge(done.runs, row.attempts, me.loop().jitter());
    report_runs(*company_, row, done.runs, verdict);
    if (const auto* retry = std::get_if<policy::retry_in>(&verdict))
        (void)company_->retry.try_send(due_in{retry->delay});
    settle outcome{{.id = row.id,
                    .token = done.held.token,
                    .place = row.place,
                    .verdict = std::move(verdict),
                    .handled = std::move(done.handled)},
                   done.held.row,
                   std::move(done.handlers)};
    // Never full: its mailbox has room for all that can be in hand.
    (void)company_->settlers[done.held.settler].try_send(std::move(outcome));
}

}
