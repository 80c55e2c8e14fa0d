#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>

namespace cuebox {

// How one life of an actor ended.
enum class exit_kind
{
    finished,  // its coroutine returned by itself
    stopped,   // it was asked to stop and did
    cancelled, // it was asked to stop, let its deadline pass, and was cancelled
    failed,    // its coroutine threw
};

std::string_view to_string(exit_kind kind) noexcept;

struct exit_reason
{
    exit_kind kind = exit_kind::finished;
    std::exception_ptr error{}; // set when failed
    std::string message{};      // the error's

    static exit_reason failed(std::exception_ptr error);

    // The error's message, or the kind in words.
    std::string what() const;
};

// Thrown by a supervisor that has restarted too often: its parent decides what happens next.
class restarts_exhausted : public std::runtime_error
{
public:
    using runtime_error::runtime_error;
};

// The message of any exception, for reports.
std::string message_of(const std::exception_ptr& error);

}
