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

// Looking at an exception means throwing it once more, so it is done once.
exit_reason exit_reason::failed(std::exception_ptr error)
{
    std::string message = message_of(error);
    return {exit_kind::failed, std::move(error), std::move(message)};
}

std::string exit_reason::what() const
{
    return error ? message : std::string(to_string(kind));
}

}
