#include "locked_transaction.hpp"

#include <cuebox/outbox/worker_statements.hpp>

#include <set>

namespace cuebox::outbox {

namespace {

constexpr pg::statement open_savepoint{.name = "open gate", .sql = "savepoint cuebox_gate"};
constexpr pg::statement release_savepoint{.name = "close gate",
                                          .sql = "release savepoint cuebox_gate"};
constexpr pg::statement undo_savepoint{.name = "undo gate",
                                       .sql = "rollback to savepoint cuebox_gate"};

constexpr pg::statement open_check{.name = "open check", .sql = "savepoint cuebox_check"};
constexpr pg::statement check_now{.name = "check constraints",
                                  .sql = "set constraints all immediate"};
constexpr pg::statement undo_check{.name = "undo check",
                                   .sql = "rollback to savepoint cuebox_check"};
constexpr pg::statement release_check{.name = "close check",
                                      .sql = "release savepoint cuebox_check"};

struct key_row
{
    std::string handler;
    std::string idempotency_key;

    auto operator<=>(const key_row&) const = default;
};

}

std::vector<bool> which_are_among(const std::vector<handled_record>& keys, const pg::result& found)
{
    std::multiset<key_row> left;
    for (auto& each : found.rows<key_row>())
        left.insert(std::move(each));
    std::vector<bool> among;
    for (const handled_record& each : keys) {
        const auto at = left.find({each.handler, each.idempotency_key});
        among.push_back(at != left.end());
        if (at != left.end())
            left.erase(at);
    }
    return among;
}

locked_transaction::locked_transaction(pg::pool::borrowed connection, std::string worker)
    : connection_(std::move(connection)),
      transaction_(*connection_),
      worker_(std::move(worker))
{}

pg::awaitable<void> locked_transaction::claim(pg::params values, std::size_t expanded)
{
    const pg::result got = co_await transaction_.execute(claim_locked, std::move(values));
    rows_ = got.rows<claimed_row>();
    expanded_ = expanded;
}

pg::awaitable<std::vector<bool>> locked_transaction::open_gate(std::vector<handled_record> keys)
{
    pg::pipeline steps;
    if (gate_open_)
        steps.add(release_savepoint);
    steps.add(open_savepoint);
    const std::size_t gate = steps.add(gate_handled, handled_params(keys));
    gate_open_ = true;
    before_gate_ = transaction_.added();
    const auto answers = co_await transaction_.run(std::move(steps));
    for (const pg::outcome& each : answers)
        each.get();
    co_return which_are_among(keys, answers[gate].get());
}

pg::awaitable<void> locked_transaction::undo_gate()
{
    pg::pipeline steps;
    steps.add(undo_savepoint);
    steps.add(release_savepoint);
    gate_open_ = false;
    transaction_.forget_since(before_gate_);
    const auto answers = co_await transaction_.run(std::move(steps));
    for (const pg::outcome& each : answers)
        each.get();
}

// Within a savepoint that is undone, because what is set would stay set for the rest.
pg::awaitable<void> locked_transaction::check_constraints()
{
    pg::pipeline steps;
    steps.add(open_check);
    steps.add(check_now);
    steps.add(undo_check);
    steps.add(release_check);
    const auto answers = co_await transaction_.run(std::move(steps));
    for (const pg::outcome& each : answers)
        each.get();
}

pg::awaitable<void> locked_transaction::settle(std::vector<settlement> outcomes)
{
    if (outcomes.empty()) {
        co_await transaction_.commit();
        co_return;
    }
    pg::pipeline last;
    if (all_delivered(outcomes))
        last.add(settle_locked_delivered, settle_locked_delivered_params(outcomes));
    else
        last.add(settle_locked_outcomes, settle_locked_outcomes_params(outcomes, worker_));
    co_await transaction_.commit_with(std::move(last));
}

}
