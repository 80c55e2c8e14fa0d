#include <cuebox/pg/savepoint.hpp>
#include <cuebox/pg/session.hpp>
#include <cuebox/pg/transaction.hpp>

#include <utility>

namespace cuebox::pg {

namespace {

std::string name_at(int depth)
{
    return "cuebox_" + std::to_string(depth);
}

}

savepoint::savepoint(transaction& of, int depth)
    : transaction_(&of),
      depth_(depth),
      statements_(of.added().statements),
      calls_(of.added().calls)
{}

savepoint::savepoint(savepoint&& other) noexcept
    : transaction_(std::exchange(other.transaction_, nullptr)),
      depth_(other.depth_),
      statements_(other.statements_),
      calls_(other.calls_)
{}

savepoint::~savepoint()
{
    if (transaction_ && transaction_->open())
        transaction_->session().break_off("a savepoint was dropped open on it");
}

awaitable<void> savepoint::release()
{
    return end(false);
}

awaitable<void> savepoint::rollback()
{
    return end(true);
}

awaitable<void> savepoint::end(bool undo)
{
    if (!transaction_ || transaction_->savepoints_ != depth_)
        throw error(errc::usage, "savepoint",
                    transaction_ ? "an inner savepoint is still open: end it first"
                                 : "it has ended already");
    if (undo)
        transaction_->along_.clear(); // What came before the savepoint went along with it.
    const std::string name = name_at(depth_);
    const std::string undo_sql = "rollback to savepoint " + name;
    const std::string release_sql = "release savepoint " + name;
    pipeline steps;
    if (undo)
        steps.add({.name = "rollback to savepoint", .sql = undo_sql});
    steps.add({.name = "release savepoint", .sql = release_sql});
    const auto outcomes = co_await transaction_->run(std::move(steps));
    for (const outcome& each : outcomes)
        each.get();
    --transaction_->savepoints_;
    if (undo)
        transaction_->forget_since({.statements = statements_, .calls = calls_});
    transaction_ = nullptr;
}

awaitable<savepoint> transaction::savepoint()
{
    const std::string sql = "savepoint " + name_at(savepoints_ + 1);
    co_await execute({.name = "savepoint", .sql = sql});
    ++savepoints_;
    co_return pg::savepoint(*this, savepoints_);
}

}
