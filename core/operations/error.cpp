#include <cuebox/operations/error.hpp>

#include <string>

namespace cuebox::operations {

namespace {

std::string one_sentence(std::string_view what, std::string_view advice)
{
    std::string text(what);
    if (advice.empty())
        return text;
    text.append("; ").append(advice);
    if (text.ends_with('.'))
        text.pop_back();
    return text;
}

}

error::error(std::string_view what, std::string_view advice)
    : std::runtime_error(one_sentence(what, advice))
{}

namespace detail {

void rethrow_in_words(const pg::error& from)
{
    // No such thing, not in a state for it, a value that makes no sense.
    const std::string& state = from.sqlstate();
    if (state == "P0002" || state == "55000" || state == "22023")
        throw error{from.message(), from.hint()};
    throw from;
}

}

}
