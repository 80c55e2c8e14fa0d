#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace cuebox {

enum class ask_failure
{
    timed_out,  // no answer by the deadline
    restarting, // the actor failed and starts again: asking again later may work
    stopped,    // the actor has ended for good
    unanswered, // the actor took the question and dropped it without an answer
};

std::string_view to_string(ask_failure why) noexcept;

class ask_error : public std::runtime_error
{
public:
    ask_error(ask_failure why, const std::string& whom);

    ask_failure why() const noexcept { return why_; }

private:
    ask_failure why_;
};

}
