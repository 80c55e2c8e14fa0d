#include <cuebox/event/error.hpp>
#include <cuebox/handling/run_handler.hpp>
#include <cuebox/pg/error.hpp>
#include <cuebox/runtime/cancellation.hpp>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

namespace cuebox::handling {

namespace {

// The handler's own opinion; one that throws has none.
bool says_terminal(const handler& by, const std::exception& error)
{
    try {
        return by.terminal && by.terminal(error);
    }
    catch (...) {
        return false;
    }
}

// What went wrong first, then in which statement: dead letters are grouped by how their error
// begins.
std::string reason_of(const pg::error& error)
{
    if (error.code() != pg::errc::server)
        return error.what();
    std::string reason = error.message() + " (SQLSTATE " + error.sqlstate() + ")";
    if (!error.statement().empty())
        reason += ", in " + error.statement();
    if (!error.hint().empty())
        reason += "; hint: " + error.hint();
    return reason;
}

}

policy::failure classify(const std::exception_ptr& thrown, const handler& by)
{
    try {
        std::rethrow_exception(thrown);
    }
    catch (const terminal_error& error) {
        return {.terminal = true, .reason = policy::shorten_reason(error.what())};
    }
    catch (const event::payload_error& error) {
        return {.terminal = true,
                .reason = policy::shorten_reason(std::string("payload ") + error.what())};
    }
    catch (const pg::error& error) {
        const bool terminal =
            policy::is_terminal_sqlstate(error.sqlstate()) || says_terminal(by, error);
        return {.terminal = terminal, .reason = policy::shorten_reason(reason_of(error))};
    }
    catch (const std::exception& error) {
        return {.terminal = says_terminal(by, error),
                .reason = policy::shorten_reason(error.what())};
    }
    catch (...) {
        return {.terminal = false, .reason = "the handler threw something that is no exception"};
    }
}

awaitable<handler_result> run_handler(const handler& what, arrival&& with, pg::transaction* within)
{
    std::exception_ptr thrown;
    try {
        if (const auto* leased = std::get_if<leased_call>(&what.call))
            co_await (*leased)(std::move(with));
        else
            co_await std::get<transactional_call>(what.call)(std::move(with), *within);
    }
    catch (...) {
        thrown = std::current_exception();
    }
    handler_result result;
    if (!thrown)
        co_return result;
    // A handler may cancel an operation of its own; that is its failure, unless it was told to end.
    const auto told = co_await asio::this_coro::cancellation_state;
    if (detail::is_cancellation(thrown) && told.cancelled() != asio::cancellation_type::none)
        result.cancelled = true;
    else
        result.failure = classify(thrown, what);
    co_return result;
}

}
