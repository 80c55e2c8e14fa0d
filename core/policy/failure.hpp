#pragma once

#include <cuebox/policy/error_class.hpp>

#include <stdexcept>
#include <string>
#include <string_view>

namespace cuebox {

// Thrown by a handler for which trying again is pointless: the event becomes a dead letter at once.
class terminal_error : public std::runtime_error, public classified
{
public:
    using std::runtime_error::runtime_error;
    terminal_error(std::string_view error_class, const std::string& what)
        : std::runtime_error(what),
          class_(error_class)
    {}

    std::string_view error_class() const noexcept override { return class_; }

private:
    std::string class_;
};

// Thrown by a handler that is to be tried again, to say what class of failure it was. Any other
// exception is tried again too; its class is its type.
class transient_error : public std::runtime_error, public classified
{
public:
    transient_error(std::string_view error_class, const std::string& what)
        : std::runtime_error(what),
          class_(error_class)
    {}

    std::string_view error_class() const noexcept override { return class_; }

private:
    std::string class_;
};

namespace policy {

// Why a handler did not succeed.
struct failure
{
    // Trying again cannot help.
    bool terminal = false;
    // "<class>: <message>", for the row, the log and the operator.
    std::string reason{};
    // Whose failure it is; empty when no handler is to blame.
    std::string handler{};
};

// What the database refuses for good: data it cannot take (class 22), integrity violations (23).
bool is_terminal_sqlstate(std::string_view sqlstate) noexcept;

// As much of an error's text as a row keeps.
inline constexpr std::size_t reason_max = 2'000;
std::string shorten_reason(std::string reason);

// Text that Postgres takes, of at most so many bytes and then "…": cut at a character, not in it.
std::string cut_text(std::string bytes, std::size_t max);

}

}
