#include <cuebox/event/error.hpp>
#include <cuebox/handling/run_handler.hpp>
#include <cuebox/pg/error.hpp>
#include <cuebox/runtime/cancellation.hpp>

#include <boost/asio/cancellation_state.hpp>
#include <boost/asio/this_coro.hpp>

#include <cxxabi.h>
#include <typeinfo>

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

std::string_view class_of(pg::errc code)
{
    switch (code) {
    case pg::errc::connect:
        return "no connection";
    case pg::errc::lost:
        return "connection lost";
    case pg::errc::timed_out:
        return "statement timed out";
    case pg::errc::commit_unknown:
        return "commit unknown";
    case pg::errc::exhausted:
        return "no free connection";
    case pg::errc::shape:
        return "unexpected result";
    case pg::errc::server:
    case pg::errc::usage:
        break;
    }
    return "wrong use of the database";
}

// What went wrong first, then in which statement.
std::string reason_of(const pg::error& error)
{
    if (error.code() != pg::errc::server)
        return policy::make_reason(class_of(error.code()), error.what());
    std::string message = error.message();
    if (!error.statement().empty())
        message += ", in " + error.statement();
    if (!error.hint().empty())
        message += "; hint: " + error.hint();
    return policy::make_reason("SQLSTATE " + error.sqlstate(), message);
}

// Dead letters are grouped by the class, so it never depends on the event.
std::string reason_of(const std::exception& error)
{
    const auto* named = dynamic_cast<const classified*>(&error);
    if (named && !named->error_class().empty())
        return policy::make_reason(named->error_class(), error.what());
    if (const auto* database = dynamic_cast<const pg::error*>(&error))
        return reason_of(*database);
    if (dynamic_cast<const event::payload_error*>(&error))
        return policy::make_reason("payload_error", error.what());
    return policy::make_reason(policy::class_of(typeid(error)), error.what());
}

bool is_terminal(const handler& by, const std::exception& error)
{
    if (dynamic_cast<const terminal_error*>(&error) ||
        dynamic_cast<const event::payload_error*>(&error))
        return true;
    const auto* database = dynamic_cast<const pg::error*>(&error);
    return (database && policy::is_terminal_sqlstate(database->sqlstate())) ||
           says_terminal(by, error);
}

}

policy::failure classify(const std::exception_ptr& thrown, const handler& by)
{
    try {
        std::rethrow_exception(thrown);
    }
    catch (const std::exception& error) {
        return {.terminal = is_terminal(by, error), .reason = reason_of(error)};
    }
    catch (...) {
        const std::type_info* type = abi::__cxa_current_exception_type();
        return {.terminal = false,
                .reason = policy::make_reason(type ? policy::class_of(*type) : "",
                                              "the handler threw something that is no exception")};
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
