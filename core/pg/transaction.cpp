#include <cuebox/pg/session.hpp>
#include <cuebox/pg/transaction.hpp>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace cuebox::pg {

namespace {

constexpr statement commit_statement{.name = "commit", .sql = "commit"};
constexpr statement rollback_statement{.name = "rollback", .sql = "rollback"};

statement begin_statement(isolation level)
{
    switch (level) {
    case isolation::repeatable_read:
        return {.name = "begin", .sql = "begin isolation level repeatable read"};
    case isolation::serializable:
        return {.name = "begin", .sql = "begin isolation level serializable"};
    default:
        return {.name = "begin", .sql = "begin isolation level read committed"};
    }
}

// Whether an error leaves it open what the server did.
bool is_silent(const error& failure)
{
    return failure.code() == errc::lost || failure.code() == errc::timed_out;
}

}

transaction::transaction(connection& on, isolation level) : session_(&on.session()), level_(level)
{
    session_->expect_alive("begin");
    expect_first("begin");
}

transaction::~transaction()
{
    if (state_ == state::begun)
        session_->break_off("a transaction was dropped open on it");
}

void transaction::expect_open(std::string_view statement) const
{
    if (state_ == state::over)
        throw error(errc::usage, statement, "the transaction is over: start another one");
}

void transaction::expect_own(std::string_view statement) const
{
    if (lent_)
        throw error(errc::usage, statement,
                    "the transaction is lent: whoever lent it ends it, so leave that out here");
}

void transaction::expect_inside(std::string_view statement) const
{
    expect_open(statement);
    if (state_ == state::begun && !session_->in_transaction())
        throw error(errc::usage, statement,
                    "the connection has left the transaction, by a COMMIT or ROLLBACK that others "
                    "sent: nothing was done");
}

void transaction::expect_first(std::string_view statement) const
{
    if (session_->in_transaction())
        throw error(errc::usage, statement,
                    "the connection is inside a transaction already: use a savepoint");
}

std::size_t transaction::prepend_begin(std::vector<detail::command>& commands)
{
    if (state_ != state::unsent)
        return 0;
    const std::string_view first = commands.empty() ? "begin" : commands.front().statement.name;
    session_->expect_free(first); // Else BEGIN would be taken for sent.
    expect_first(first);
    commands.insert(commands.begin(), {.statement = begin_statement(level_)});
    state_ = state::begun;
    return 1;
}

std::size_t transaction::prepend_due(std::vector<detail::command>& commands)
{
    const std::size_t begins = prepend_begin(commands);
    if (along_.empty())
        return begins;
    session_->expect_free(along_.front().statement.name); // Else they would be taken for sent.
    auto along = std::exchange(along_, {});
    const std::size_t added = begins + along.size();
    commands.insert(commands.begin() + static_cast<std::ptrdiff_t>(begins),
                    std::move_iterator(along.begin()), std::move_iterator(along.end()));
    return added;
}

awaitable<std::vector<outcome>> transaction::run_commands(std::vector<detail::command> commands)
{
    expect_inside(commands.empty() ? "" : commands.front().statement.name);
    ++uses_;
    const bool begins = state_ == state::unsent;
    const std::size_t added = prepend_due(commands);
    auto outcomes = co_await session_->run(std::move(commands));
    if (begins && !outcomes.front().ok())
        state_ = state::unsent; // Else what follows would commit by itself.
    const auto asked = outcomes.begin() + static_cast<std::ptrdiff_t>(added);
    for (auto each = outcomes.begin(); each != asked; ++each)
        each->get();
    outcomes.erase(outcomes.begin(), asked);
    co_return outcomes;
}

void transaction::send_along(const statement& what, params values)
{
    expect_open(what.name);
    ++uses_;
    along_.push_back({.statement = what, .params = std::move(values)});
}

awaitable<void> transaction::flush()
{
    if (!along_.empty())
        co_await run_commands({});
}

awaitable<std::vector<outcome>> transaction::run(pipeline batch)
{
    return run_commands(std::move(batch).take());
}

awaitable<void> transaction::begin()
{
    if (state_ == state::unsent || !along_.empty())
        co_await run_commands({});
}

awaitable<void> transaction::begin_copy(statement copy)
{
    expect_inside(copy.name);
    session_->expect_free(copy.name);
    ++uses_;
    co_await flush();
    const bool due = state_ == state::unsent;
    if (due)
        expect_first(copy.name);
    state_ = state::begun;
    try {
        co_await session_->begin_copy(copy, due ? begin_statement(level_).sql : "");
    }
    catch (...) {
        // Both are one text: when the COPY does not parse, BEGIN has not happened either.
        if (due && !session_->in_transaction())
            state_ = state::unsent;
        throw;
    }
}

awaitable<void> transaction::run_script(statement script)
{
    expect_inside(script.name);
    ++uses_;
    co_await begin();
    co_await session_->run_script(script);
}

awaitable<void> transaction::commit()
{
    pipeline nothing;
    co_await commit_with(std::move(nothing));
}

awaitable<std::vector<outcome>> transaction::commit_with(pipeline last)
{
    // Refusals come first, so that who is refused can try again. Lost earlier, it is known: nothing
    // was committed.
    expect_own("commit");
    expect_inside("commit");
    session_->expect_free("commit");
    if (savepoints_ > 0)
        throw error(errc::usage, "commit", "a savepoint is still open: release it or roll it back");
    std::vector<outcome> outcomes;
    if (state_ == state::unsent) {
        if (last.empty() && along_.empty() && with_commit_.empty()) {
            finish_commit();
            co_return outcomes;
        }
        expect_first("commit");
    }
    auto commands = std::exchange(along_, {});
    const auto along = static_cast<std::ptrdiff_t>(commands.size());
    auto asked_for = std::move(last).take();
    const auto asked = static_cast<std::ptrdiff_t>(asked_for.size());
    std::ranges::move(asked_for, std::back_inserter(commands));
    std::ranges::move(std::exchange(with_commit_, {}), std::back_inserter(commands));
    commands.push_back({.statement = commit_statement});

    std::optional<error> silent;
    try {
        outcomes = co_await run_commands(std::move(commands));
    }
    catch (const error& failure) {
        if (!is_silent(failure))
            throw;
        silent = error(errc::commit_unknown, "commit",
                       failure.message() + ": whether it was committed is unknown");
        commit_unknown_ = true;
    }
    catch (...) {
        // Cancelled. Before anything was sent, which leaves the connection whole, it is known.
        commit_unknown_ = session_->broken();
        throw;
    }
    if (silent)
        throw *silent;

    const auto failed =
        std::ranges::find_if(outcomes, [](const outcome& each) { return !each.ok(); });
    if (failed != outcomes.end()) {
        const error why = *failed->failure();
        co_await rollback();
        throw why;
    }
    // The server answers the commit of a failed transaction with its rollback.
    const bool committed = outcomes.back().get().tag() == "COMMIT";
    outcomes.erase(outcomes.begin() + along + asked, outcomes.end());
    outcomes.erase(outcomes.begin(), outcomes.begin() + along);
    state_ = state::over;
    if (!committed)
        throw error(errc::server, "commit",
                    "rolled back, because an earlier statement of the transaction had failed");
    finish_commit();
    co_return outcomes;
}

void transaction::finish_commit()
{
    state_ = state::over;
    for (const auto& call : std::exchange(after_commit_, {}))
        call();
}

awaitable<void> transaction::rollback()
{
    expect_own("rollback");
    expect_open("rollback");
    along_.clear();
    // A COMMIT that was refused has rolled back already.
    if (state_ == state::begun && session_->in_transaction())
        co_await execute(rollback_statement);
    state_ = state::over;
    savepoints_ = 0;
}

void transaction::add_to_commit(const statement& what, params values)
{
    expect_open(what.name);
    ++uses_;
    with_commit_.push_back({.statement = what, .params = std::move(values)});
}

void transaction::after_commit(std::function<void()> call)
{
    expect_open("after_commit");
    ++uses_;
    after_commit_.push_back(std::move(call));
}

bool transaction::failed() const noexcept
{
    return session_->broken() || session_->in_failed_transaction();
}

void transaction::forget_since(additions then)
{
    along_.clear();
    if (with_commit_.size() > then.statements)
        with_commit_.erase(with_commit_.begin() + static_cast<std::ptrdiff_t>(then.statements),
                           with_commit_.end());
    if (after_commit_.size() > then.calls)
        after_commit_.resize(then.calls);
}

}
