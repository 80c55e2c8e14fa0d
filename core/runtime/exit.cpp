#include <cuebox/runtime/exit.hpp>

namespace cuebox {

std::string_view to_string(exit_kind kind) noexcept
{
    switch (kind) {
    case exit_kind::finished:
        return "finished";
    case exit_kind::stopped:
        return "stopped";
    case exit_kind::cancelled:
        return "cancelled";
    case exit_kind::failed:
        return "failed";
    }
    return "?";
}

std::string message_of(const std::exception_ptr& error)
{
    if (!error)
        return {};
    try {
        std::rethrow_exception(error);
    }
    catch (const std::exception& caught) {
        return caught.what();
    }
    catch (...) {
        return "an exception that is not a std::exception";
    }
}

std::string exit_reason::what() const
{
    return error ? message_of(error) : std::string(to_string(kind));
}

}
