#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cuebox {

// Thrown by a handler for which trying again is pointless: the event becomes a dead letter at once.
class terminal_error : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

namespace policy {

// Why a handler did not succeed.
struct failure
{
    // Trying again cannot help.
    bool terminal = false;
    // In words, for the row, the log and the operator.
    std::string reason{};
    // Whose failure it is; empty when no handler is to blame.
    std::string handler{};
};

// What the database refuses for good: data it cannot take (class 22), integrity violations (23).
bool is_terminal_sqlstate(std::string_view sqlstate) noexcept;

// As much of an error's text as a row keeps: cut at a character, not in it.
inline constexpr std::size_t reason_max = 2'000;
std::string shorten_reason(std::string reason);

}

}
