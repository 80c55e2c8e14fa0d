#include "lane.hpp"

#include "report_run.hpp"
#include "trouble.hpp"

#include <cuebox/event/timestamp.hpp>
#include <cuebox/pg/error.hpp>
#include <cuebox/pg/transaction.hpp>
#include <cuebox/runtime/scope.hpp>

#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>

#include <algorithm>
#include <utility>

namespace cuebox::actors {

namespace {

// A savepoint that writes is a subtransaction, and a backend announces 64 of them; more make every
// other backend's snapshots dearer.
constexpr std::size_t careful_max = 50;

// Whether another row of the batch has the same key, and waits for what becomes of this one.
bool has_twin(const std::vector<outbox::handled_record>& keys, std::size_t which)
{
    return std::ranges::count(keys, keys[which].order(), &outbox::handled_record::order) > 1;
}

}

lane::lane(company_ptr company, std::size_t index) : company_(std::move(company)), index_(index) {}

awaitable<void> lane::run(self<messages>& me)
{
    desk_ = company_->office->open(me.loop());
    scope batch{desk_->executor()};
    while (auto message = co_await me.receive()) {
        auto order = std::get<take_batch>(std::move(*message));
        if (careful_)
            order.wanted.limit = std::min(order.wanted.limit, careful_max);
        if (order.careful)
            order.wanted.limit = 1;
        const time_point began = me.now();
        lane_done done{.lane = index_};
        try {
            batch.spawn(take(me, std::move(order), done));
            co_await batch.join();
        }
        catch (const std::exception& error) {
            note_trouble(company_->log, *company_->trouble, "lane", error);
            done.ok = false;
        }
        if (!done.ok)
            co_await charge();
        done.took = me.now() - began;
        (void)company_->claimer.try_send(std::move(done));
    }
}

awaitable<void> lane::take(self<messages>& me, take_batch order, lane_done& done)
{
    const time_point began = me.now();
    lane_reached locked{.bounds = order.wanted.bounds};
    const std::size_t asked = order.wanted.limit;
    handlers_ = company_->handlers;
    const auto batch = co_await company_->relay->lock(std::move(order.wanted));
    locked.reach = outbox::reach_of(batch->rows(), asked);
    locked.reach.took = me.now() - began;
    locked.expanded = batch->expanded();
    for (const auto& each : batch->rows())
        if (std::ranges::find(locked.channels, each->channel) == locked.channels.end())
            locked.channels.push_back(each->channel);
    (void)company_->claimer.try_send(std::move(locked));

    done.rows = batch->rows().size();
    std::vector<batch_row> rows;
    rows.reserve(done.rows);
    for (const auto& each : batch->rows())
        rows.push_back({.row = each});
    // Everybody takes keys in this order, so those who meet wait for each other and none forever.
    // Mostly they are in it already: that of their making.
    const auto key = [](const batch_row& each) -> const std::string& {
        return each.row->envelope.idempotency_key;
    };
    if (!std::ranges::is_sorted(rows, {}, key))
        std::ranges::sort(rows, {}, key);

    if (order.careful && !rows.empty()) {
        std::vector<pg::uuid> ids{rows.front().row->id};
        co_await name_rows(me, std::move(ids));
    }
    bool clean = false;
    if (!careful_ && !rows.empty()) {
        clean = co_await run_all(me, *batch, rows);
        if (!clean)
            co_await batch->undo_gate();
        culprit_.reset();
    }
    if (!clean)
        co_await run_carefully(me, *batch, rows);
    auto outcomes = settle_all(me, rows, done);
    // Should the commit fail, the next batch finds out whose fault it is.
    careful_ = true;
    co_await batch->settle(outcomes);
    careful_ = !clean && done.failures;
    // Only now it is so: what was run and rolled back before is nobody's business.
    for (std::size_t i = 0; i < rows.size(); ++i) {
        report_runs(*company_, *rows[i].row, rows[i].runs, outcomes[i].verdict);
        report_settled(*company_, *rows[i].row, outcomes[i].verdict);
    }
    if (order.careful && !rows.empty())
        co_await name_rows(me, {});
}

// A handler that breaks the connection, with a statement that takes too long, takes its batch with
// it. The others will have another turn; this one pays, or it would do so for ever.
awaitable<void> lane::charge()
{
    const auto guilty = std::exchange(culprit_, std::nullopt);
    if (!guilty)
        co_return;
    try {
        const auto batch = co_await company_->relay->begin();
        std::vector<outbox::settlement> outcome{{.id = guilty->row->id,
                                                 .token = {},
                                                 .place = guilty->row->place,
                                                 .verdict = guilty->verdict,
                                                 .handled = {}}};
        co_await batch->settle(std::move(outcome));
        const handling::handler_run runs[] = {guilty->run};
        report_runs(*company_, *guilty->row, runs, guilty->verdict);
        report_settled(*company_, *guilty->row, guilty->verdict);
    }
    catch (const std::exception& error) {
        note_trouble(company_->log, *company_->trouble, "lane", error);
    }
}

// Who handles them should they be the last thing this process does.
awaitable<void> lane::name_rows(self<messages>& me, std::vector<pg::uuid> rows)
{
    mark_lane mark{.lane = index_, .rows = std::move(rows)};
    co_await me.ask(company_->settlers.front(), std::move(mark), std::chrono::seconds(5));
}

awaitable<bool> lane::run_all(self<messages>& me, outbox::locked_batch& batch,
                              std::vector<batch_row>& rows)
{
    std::vector<outbox::handled_record> keys;
    for (const batch_row& each : rows)
        for (const auto& handler : handlers_->for_type(each.row->envelope.event_type))
            keys.push_back(record_of(*handler, *each.row));
    const std::vector<bool> ours = co_await batch.open_gate(keys);

    const std::size_t uses = batch.work().uses();
    bool failures = false;
    std::size_t key = 0;
    for (batch_row& each : rows)
        for (const auto& handler : handlers_->for_type(each.row->envelope.event_type)) {
            auto run = co_await run_one(me, batch, each, handler, ours[key]);
            const bool succeeded = run.result.succeeded();
            each.runs.push_back(std::move(run));
            failures = failures || !succeeded;
            const bool untouched = batch.work().uses() == uses;
            if (failures && (!untouched || (!succeeded && has_twin(keys, key))))
                co_return false;
            culprit_.reset();
            ++key;
        }
    if (failures)
        co_await keep_records(batch, rows);
    co_return co_await flush(batch);
}

// What handlers have sent along goes now: should it fail, there is still time to find out whose it
// is. False when it does.
awaitable<bool> lane::flush(outbox::locked_batch& batch)
{
    careful_ = true; // Should the connection break of it.
    try {
        co_await batch.work().flush();
    }
    catch (const pg::error& failed) {
        if (failed.code() != pg::errc::server)
            throw;
        co_return false;
    }
    careful_ = false;
    co_return true;
}

// Those who failed wrote nothing, nor did anybody else: it is enough to take their records out.
awaitable<void> lane::keep_records(outbox::locked_batch& batch, std::vector<batch_row>& rows)
{
    std::vector<outbox::handled_record> handled;
    std::vector<handling::handler_run*> by;
    for (batch_row& each : rows)
        for (handling::handler_run& run : each.runs)
            if (run.result.succeeded() && !run.duplicate) {
                handled.push_back(record_of(*run.by, *each.row));
                by.push_back(&run);
            }
    co_await batch.undo_gate();
    if (handled.empty())
        co_return;
    const std::vector<bool> ours = co_await batch.open_gate(std::move(handled));
    for (std::size_t i = 0; i < by.size(); ++i)
        by[i]->duplicate = !ours[i];
}

awaitable<void> lane::run_carefully(self<messages>& me, outbox::locked_batch& batch,
                                    std::vector<batch_row>& rows)
{
    for (batch_row& each : rows) {
        each.runs.clear();
        for (const auto& handler : handlers_->for_type(each.row->envelope.event_type)) {
            std::vector<outbox::handled_record> key{record_of(*handler, *each.row)};
            const std::vector<bool> ours = co_await batch.open_gate(std::move(key));
            auto run = co_await run_one(me, batch, each, handler, ours.front());
            if (run.result.succeeded() && ours.front())
                co_await check(me, batch, each, run);
            const bool succeeded = run.result.succeeded();
            each.runs.push_back(std::move(run));
            if (!succeeded)
                co_await batch.undo_gate();
            culprit_.reset();
        }
    }
}

// What would only come out later, when it is hard to tell whose it is: what was sent along, and
// what is checked by the commit.
awaitable<void> lane::check(self<messages>& me, outbox::locked_batch& batch, const batch_row& row,
                            handling::handler_run& run)
{
    std::exception_ptr thrown;
    try {
        co_await batch.check_constraints();
    }
    catch (const pg::error&) {
        thrown = std::current_exception();
    }
    if (!thrown)
        co_return;
    run.result.failure = handling::classify(thrown, *run.by);
    suspect(me, row, run);
}

// Until it is known that the connection has outlived it.
void lane::suspect(self<messages>& me, const batch_row& row, const handling::handler_run& run)
{
    const handling::handler_run runs[] = {run};
    auto verdict = handling::judge(runs, row.row->attempts, me.loop().jitter());
    culprit_ = {.row = row.row, .run = run, .verdict = std::move(verdict)};
}

awaitable<handling::handler_run> lane::run_one(self<messages>& me, outbox::locked_batch& batch,
                                               batch_row& row, handling::handler_ptr handler,
                                               bool ours)
{
    handling::handler_run run{.by = handler, .duplicate = !ours, .began_at = event::now()};
    const time_point began = me.now();
    if (ours) {
        auto arrival = arrive(*company_, row.row, {}, run);
        batch.work().lend();
        const at_desk seen(*desk_, *handler, *row.row);
        run.result = co_await handling::run_handler(*handler, std::move(arrival), &batch.work());
        batch.work().take_back();
        // An error it caught is still the transaction's, and would be charged to the next one.
        if (run.result.succeeded() && batch.work().failed())
            run.result.failure = policy::failure{
                .reason = "transaction left failed: the handler caught an error of the database; "
                          "let it out, or put a savepoint around what may fail"};
        // The stop deadline has passed: nothing of the batch is kept, and no attempt is burnt.
        if (run.result.cancelled)
            throw boost::system::system_error(boost::asio::error::operation_aborted);
    }
    run.took = me.now() - began;
    if (run.result.failure)
        suspect(me, row, run);
    co_return run;
}

std::vector<outbox::settlement>
lane::settle_all(self<messages>& me, const std::vector<batch_row>& rows, lane_done& done)
{
    std::vector<outbox::settlement> outcomes;
    for (const batch_row& each : rows) {
        auto verdict = handling::judge(each.runs, each.row->attempts, me.loop().jitter());
        done.failures = done.failures || !std::holds_alternative<policy::delivered>(verdict);
        if (const auto* retry = std::get_if<policy::retry_in>(&verdict))
            done.retry_in = std::min(done.retry_in.value_or(retry->delay), retry->delay);
        outcomes.push_back({.id = each.row->id,
                            .token = {},
                            .place = each.row->place,
                            .verdict = std::move(verdict),
                            .handled = {}});
    }
    return outcomes;
}

}
