#include <cuebox/policy/failure.hpp>

namespace cuebox::policy {

namespace {

bool continues_a_character(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

}

bool is_terminal_sqlstate(std::string_view sqlstate) noexcept
{
    return sqlstate.starts_with("22") || sqlstate.starts_with("23");
}

std::string shorten_reason(std::string reason)
{
    // Postgres takes no NUL, and what an exception says is anybody's.
    std::erase(reason, '\0');
    if (reason.size() <= reason_max)
        return reason;
    std::size_t end = reason_max;
    while (end > 0 && continues_a_character(reason[end]))
        --end;
    reason.resize(end);
    return reason + "…";
}

}
