#include <cuebox/event/error.hpp>
#include <cuebox/event/limits.hpp>
#include <cuebox/event/printed_size.hpp>

#include <algorithm>
#include <string>

namespace cuebox::event {

namespace {

// The zeros and the point that an exponent stands for; `at` is behind the e.
std::size_t written_out(const char* at, const char* end)
{
    if (at != end && (*at == '+' || *at == '-'))
        ++at;
    std::size_t exponent = 0;
    for (; at != end && *at >= '0' && *at <= '9'; ++at)
        exponent =
            std::min<std::size_t>(exponent * 10 + static_cast<std::size_t>(*at - '0'), payload_max);
    return exponent + 2;
}

const char* skip_string(const char* at, const char* end)
{
    while (at != end && *at != '"')
        at += *at == '\\' && end - at > 1 ? 2 : 1;
    return at;
}

}

std::size_t printed_size(std::string_view json)
{
    std::size_t size = json.size();
    const char* const end = json.data() + json.size();
    for (const char* at = json.data(); at < end; ++at) {
        const char letter = *at;
        if (letter == '"')
            at = skip_string(at + 1, end);
        else if (letter == ',' || letter == ':')
            ++size;
        else if ((letter == 'e' || letter == 'E') && at != json.data() && at[-1] >= '0' &&
                 at[-1] <= '9')
            size += written_out(at + 1, end);
        if (at == end)
            break;
    }
    return size;
}

void check_printed_size(std::string_view json)
{
    if (const auto size = printed_size(json); size > payload_max)
        throw payload_error{"", std::to_string(size) + " bytes as Postgres writes it, more than " +
                                    std::to_string(payload_max) +
                                    ": keep large data elsewhere and publish where it is"};
}

}
