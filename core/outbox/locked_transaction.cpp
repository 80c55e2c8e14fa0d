#include "locked_transaction.hpp"

#include "point_at.hpp"
#include "recording.hpp"
#include "settling.hpp"

#include <cuebox/outbox/worker_statements.hpp>

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

}

locked_transaction::locked_transaction(pg::pool::borrowed connection, std::string worker,
                                       policy::novelty& novelty)
    : connection_(std::move(connection)),
      transaction_(*connection_),
      worker_(std::move(worker)),
      novelty_(novelty)
{}

pg::awaitable<void> locked_transaction::claim(pg::params values, std::size_t expanded)
{
    const pg::result got = co_await transaction_.execute(claim_locked, std::move(values));
    rows_ = read_rows(got);
    expanded_ = expanded;
}

pg::awaitable<std::vector<bool>> locked_transaction::open_gate(std::vector<handled_record> keys)
{
    pg::pipeline steps;
    if (gate_open_)
        steps.add(release_savepoint);
    steps.add(open_savepoint);
    recording gate(point_at(std::span<const handled_record>(keys)), novelty_);
    gate.add_to(steps);
    gate_open_ = true;
    before_gate_ = transaction_.added();
    const auto answers = co_await transaction_.run(std::move(steps));
    for (const pg::outcome& each : answers)
        each.get();
    co_return gate.read(answers);
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
    settling(outcomes).add_locked_to(last, worker_);
    co_await transaction_.commit_with(std::move(last));
}

}
