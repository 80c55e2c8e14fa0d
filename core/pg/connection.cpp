#include <cuebox/pg/cancel_point.hpp>
#include <cuebox/pg/connection.hpp>
#include <cuebox/pg/identifier.hpp>
#include <cuebox/pg/session.hpp>

#include <libpq-fe.h>

namespace cuebox::pg {

connection::connection(std::unique_ptr<detail::session> established)
    : session_(std::move(established))
{}
connection::connection(connection&&) noexcept = default;
connection& connection::operator=(connection&&) noexcept = default;
connection::~connection() = default;

awaitable<std::vector<outcome>> connection::run(pipeline batch)
{
    return session_->run(std::move(batch).take());
}

awaitable<void> connection::run_script(statement script)
{
    return session_->run_script(script);
}

awaitable<void> connection::listen(std::string_view channel)
{
    const std::string sql = "listen " + quote_identifier(channel);
    listening_ = true;
    co_await session_->run_script({.name = "listen", .sql = sql});
}

awaitable<std::size_t> connection::describe(statement what, params with)
{
    std::vector<detail::command> commands;
    commands.push_back({.statement = what, .params = std::move(with), .describe = true});
    auto outcomes = co_await session_->run(std::move(commands));
    const result described = outcomes.front().take();
    co_return described.parameters();
}

awaitable<void> connection::unlisten(std::string_view channel)
{
    const std::string sql = "unlisten " + quote_identifier(channel);
    co_await session_->run_script({.name = "unlisten", .sql = sql});
}

awaitable<std::optional<notification>>
connection::next_notification(std::chrono::nanoseconds within)
{
    return session_->next_notification(deadline_in(within));
}

void connection::set_deadline(std::chrono::nanoseconds each)
{
    session_->statement_deadline = each;
}

std::chrono::nanoseconds connection::deadline() const
{
    return session_->statement_deadline;
}

bool connection::broken() const noexcept
{
    return session_->broken();
}

bool connection::in_transaction() const noexcept
{
    return session_->in_transaction();
}

void connection::close()
{
    session_->break_off("it was closed");
}

canceller connection::canceller() const
{
    return pg::canceller(session_->cancelling());
}

bool connection::retire_cancellers() noexcept
{
    return session_->cancelling()->retire();
}

int connection::backend() const
{
    return broken() ? 0 : PQbackendPID(session_->raw());
}

std::size_t connection::prepared_statements() const noexcept
{
    return session_->prepared_count();
}

}
