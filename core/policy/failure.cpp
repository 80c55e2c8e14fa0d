#include <cuebox/event/utf8.hpp>
#include <cuebox/policy/failure.hpp>

namespace cuebox::policy {

namespace {

bool continues_a_character(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

std::string make_text(const std::string& bytes)
{
    std::string text;
    const char* const end = bytes.data() + bytes.size();
    for (const char* at = bytes.data(); at != end;) {
        const std::size_t length = event::utf8_length(at, end);
        if (length == 0)
            text += "\uFFFD";
        else
            text.append(at, length);
        at += length == 0 ? 1 : length;
    }
    return text;
}

}

bool is_terminal_sqlstate(std::string_view sqlstate) noexcept
{
    return sqlstate.starts_with("22") || sqlstate.starts_with("23");
}

std::string cut_text(std::string bytes, std::size_t max)
{
    // Postgres takes no NUL and nothing that is not UTF-8, and what an exception says is anybody's.
    std::erase(bytes, '\0');
    // Of megabytes, most is not looked at. What is cut in two here is cut off below.
    if (bytes.size() > max + 4)
        bytes.resize(max + 4);
    if (!event::is_utf8(bytes))
        bytes = make_text(bytes);
    if (bytes.size() <= max)
        return bytes;
    std::size_t end = max;
    while (end > 0 && continues_a_character(bytes[end]))
        --end;
    bytes.resize(end);
    return bytes + "…";
}

std::string shorten_reason(std::string reason)
{
    return cut_text(std::move(reason), reason_max);
}

}
