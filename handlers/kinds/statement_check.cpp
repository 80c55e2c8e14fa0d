#include "statement_check.hpp"

#include <cuebox/pg/connection.hpp>
#include <cuebox/pg/error.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace cuebox::handlers {

namespace {

// The end of what begins here and is no part of a command: space, a comment, an opening bracket, an
// empty statement. 0: the command begins here.
std::size_t skip_one(std::string_view sql)
{
    if (std::string_view(" \t\r\n\f\v(;").find(sql.front()) != std::string_view::npos)
        return 1;
    if (sql.starts_with("--"))
        return std::min(sql.find('\n'), sql.size());
    if (!sql.starts_with("/*"))
        return 0;
    int depth = 0; // Comments nest.
    for (std::size_t at = 0; at + 1 < sql.size(); ++at) {
        const std::string_view two = sql.substr(at, 2);
        if (two != "/*" && two != "*/")
            continue;
        depth += two == "/*" ? 1 : -1;
        ++at;
        if (depth == 0)
            return at + 1;
    }
    return sql.size();
}

// In small letters; empty when there is none.
std::string first_word(std::string_view sql)
{
    while (!sql.empty()) {
        const std::size_t skipped = skip_one(sql);
        if (skipped == 0)
            break;
        sql.remove_prefix(skipped);
    }
    std::string word;
    for (const char each : sql) {
        const auto letter = static_cast<unsigned char>(each);
        if (std::isalpha(letter) == 0)
            break;
        word.push_back(static_cast<char>(std::tolower(letter)));
    }
    return sql.empty() || !word.empty() ? word : "?";
}

// The statement is wrong, or something it names is not there: it would fail with every event. All
// else is the server's trouble of the moment.
bool is_refusal(const pg::error& error)
{
    constexpr std::array<std::string_view, 7> passing{"08", "40", "53", "55", "57", "58", "XX"};
    return error.code() == pg::errc::server &&
           std::ranges::none_of(passing, [&](auto each) { return error.in_class(each); });
}

std::string describe(const pg::error& refused)
{
    // A table, a function, a schema, a type.
    constexpr std::array<std::string_view, 4> undefined{"42P01", "42883", "3F000", "42704"};
    std::string why = refused.message() + " (SQLSTATE " + refused.sqlstate() + ")";
    if (std::ranges::find(undefined, refused.sqlstate()) != undefined.end())
        why += "; create what the statement needs before the worker starts: until then every event "
               "would fail";
    return why;
}

[[noreturn]] void refuse_parameters(const config::node& from)
{
    from.refuse("uses a parameter past $7: there are $1 event_id, $2 event_type, $3 payload, $4 "
                "idempotency_key, $5 domain_id, $6 occurred_at and $7 source");
}

}

std::string why_not_in_delivery(std::string_view sql)
{
    constexpr std::array<std::string_view, 8> transaction{
        "begin", "start", "commit", "end", "rollback", "abort", "savepoint", "release"};
    constexpr std::array<std::string_view, 11> session{
        "copy",    "listen",  "unlisten",   "set",  "reset", "discard",
        "prepare", "execute", "deallocate", "load", "vacuum"};
    const std::string word = first_word(sql);
    if (word.empty())
        return "is empty: give the SQL to run for each event";
    if (std::ranges::find(transaction, word) != transaction.end())
        return "begins or ends a transaction: leave it out, the statement runs in the "
               "transaction of the delivery, which commits by itself";
    if (std::ranges::find(session, word) != session.end())
        return "is " + word +
               ", which a delivery's transaction cannot take: give one statement that reads or "
               "writes rows";
    return {};
}

pg::awaitable<void> check_statement(pg::connection& on, std::string name, std::string sql,
                                    pg::params with, config::node from)
{
    const std::size_t given = with.size();
    const pg::statement what{.name = name, .sql = sql};
    std::size_t used = 0;
    try {
        used = co_await on.describe(what, std::move(with));
    }
    catch (const pg::error& error) {
        if (!is_refusal(error))
            throw;
        // Those that are given have their types: it is one of those before a higher one.
        if (error.sqlstate() == "42P18")
            refuse_parameters(from);
        from.refuse(describe(error));
    }
    if (used > given)
        refuse_parameters(from);
}

}
