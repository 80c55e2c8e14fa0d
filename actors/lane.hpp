#pragma once

#include <cuebox/actors/settings.hpp>
#include <cuebox/handling/verdict.hpp>
#include <cuebox/runtime/self.hpp>

namespace cuebox::actors {

// A row whose handler has failed, and what is to become of it.
struct culprit
{
    outbox::claimed_row_ptr row{};
    handling::handler_run run{};
    policy::verdict verdict{};
};

// Takes batches of rows through the transactional flow: locked, handled and settled in one
// transaction, so that a handler's writes, its dedup record and the acknowledgement commit
// together.
//
// A batch is first run without savepoints, its dedup records in one statement. Handlers that fail
// before anybody has used the transaction only lose their record. If one fails later, everything
// since is undone and the batch is run again row by row, each behind a savepoint, so that the
// others survive. The next batch is taken the careful way too, until one goes through without a
// failure.
class lane
{
public:
    using messages = lane_messages;
    static constexpr std::string_view kind = "lane";

    lane(company_ptr company, std::size_t index);

    awaitable<void> run(self<messages>& me);

private:
    struct batch_row
    {
        outbox::claimed_row_ptr row{};
        std::vector<handling::handler_run> runs{};
    };

    awaitable<void> take(self<messages>& me, take_batch order, lane_done& done);
    awaitable<void> charge();
    awaitable<bool> flush(outbox::locked_batch& batch);
    awaitable<void> check(self<messages>& me, outbox::locked_batch& batch, const batch_row& row,
                          handling::handler_run& run);
    void suspect(self<messages>& me, const batch_row& row, const handling::handler_run& run);
    awaitable<void> name_rows(self<messages>& me, std::vector<pg::uuid> rows);
    // False when a handler failed, and something may have to be undone.
    awaitable<bool> run_all(self<messages>& me, outbox::locked_batch& batch,
                            std::vector<batch_row>& rows);
    awaitable<void> keep_records(outbox::locked_batch& batch, std::vector<batch_row>& rows);
    awaitable<void> run_carefully(self<messages>& me, outbox::locked_batch& batch,
                                  std::vector<batch_row>& rows);
    awaitable<handling::handler_run> run_one(self<messages>& me, outbox::locked_batch& batch,
                                             batch_row& row, handling::handler_ptr handler,
                                             bool ours);
    std::vector<outbox::settlement> settle_all(self<messages>& me,
                                               const std::vector<batch_row>& rows, lane_done& done);

    company_ptr company_;
    std::size_t index_;
    std::shared_ptr<desk> desk_;
    // For the batch that is under way.
    std::shared_ptr<const handling::handler_set> handlers_;
    // The row whose handler has just failed, should it have taken the connection with it.
    std::optional<culprit> culprit_;
    bool careful_ = false;
};

}
