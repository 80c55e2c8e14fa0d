#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cuebox::pg {

enum class errc
{
    connect,        // No server could be reached, or none let us in.
    lost,           // The connection broke, or was closed because an operation was abandoned.
    timed_out,      // The deadline passed; the connection is closed, the server told to stop.
    server,         // The server refused a statement: see sqlstate.
    commit_unknown, // The connection broke while COMMIT was on its way: it may have happened.
    exhausted,      // No connection of the pool became free in time.
    shape,          // The result does not have the columns or types the caller asked for.
    usage           // The caller broke a rule, such as a NUL byte in a text parameter.
};

// What the server says about a refused statement, its values left out.
struct server_error
{
    std::string sqlstate{};   // Five characters, such as "23505".
    std::string message{};    // The primary message.
    std::string hint{};       // What the server advises, or empty.
    std::string constraint{}; // The constraint that was violated, or empty.
};

// Every failure of this room. What it says never includes parameters or passwords: it names the
// statement, what went wrong, and where it helps what to do next.
class error : public std::runtime_error
{
public:
    error(errc code, std::string_view statement, std::string_view what);
    error(std::string_view statement, server_error from);

    errc code() const noexcept { return code_; }
    // Of the server's refusals; empty for all others.
    const std::string& sqlstate() const noexcept { return server_.sqlstate; }
    const std::string& constraint() const noexcept { return server_.constraint; }
    const std::string& hint() const noexcept { return server_.hint; }
    // What went wrong, without the statement's name.
    const std::string& message() const noexcept { return server_.message; }
    // The name of the statement; empty when it was none.
    const std::string& statement() const noexcept { return statement_; }

    // Whether the SQLSTATE belongs to a class: "23" for integrity violations.
    bool in_class(std::string_view two_digits) const { return sqlstate().starts_with(two_digits); }

private:
    errc code_;
    std::string statement_;
    server_error server_;
};

namespace detail {

// Data errors (class 22) quote the offending value, mostly at the end of their message; cut it off.
// Servers that speak another language quote in other ways: of theirs nothing is kept.
std::string without_values(std::string_view sqlstate, std::string_view message);

}

}
