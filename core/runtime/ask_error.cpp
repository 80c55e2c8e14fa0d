#include <cuebox/runtime/ask_error.hpp>

namespace cuebox {

std::string_view to_string(ask_failure why) noexcept
{
    switch (why) {
    case ask_failure::timed_out:
        return "timed out";
    case ask_failure::restarting:
        return "restarting";
    case ask_failure::stopped:
        return "stopped";
    case ask_failure::unanswered:
        return "unanswered";
    }
    return "?";
}

ask_error::ask_error(ask_failure why, const std::string& whom)
    : runtime_error("asking " + whom + ": " + std::string(to_string(why))),
      why_(why)
{}

}
