#include <cuebox/event/utf8.hpp>
#include <cuebox/telemetry/log_text.hpp>

#include <algorithm>

namespace cuebox::telemetry {

namespace {

bool is_plain(char c)
{
    return c >= ' ' && c <= '~' && c != '"' && c != '\\';
}

// The character of a well-formed sequence.
char32_t decode(std::string_view sequence)
{
    const auto first = static_cast<unsigned char>(sequence.front());
    if (sequence.size() == 1)
        return first;
    char32_t made = first & (0x7fU >> sequence.size());
    for (const char each : sequence.substr(1))
        made = (made << 6U) | (static_cast<unsigned char>(each) & 0x3fU);
    return made;
}

bool is_safe(char32_t c)
{
    const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
    const bool separator = c == 0x2028 || c == 0x2029;
    const bool turns = c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) ||
                       (c >= 0x2066 && c <= 0x2069);
    return !control && !separator && !turns && c != 0xfeff;
}

// None of them is beyond the first 65,536 characters.
void append_escape(std::string& out, char32_t c)
{
    static constexpr char digits[] = "0123456789abcdef";
    switch (c) {
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        out += "\\u";
        for (unsigned shift = 16; shift > 0; shift -= 4)
            out += digits[(c >> (shift - 4)) & 15U];
    }
}

void append(std::string& out, std::string_view text, bool quoted)
{
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
        // Nearly all of nearly every line.
        const char* const plain = std::find_if_not(at, end, is_plain);
        out.append(at, plain);
        at = plain;
        if (at == end)
            return;
        const std::size_t length = event::utf8_length(at, end);
        if (length == 0) {
            out += "\uFFFD";
            ++at;
            continue;
        }
        const std::string_view next(at, length);
        at += length;
        if (const char32_t c = decode(next); !is_safe(c))
            append_escape(out, c);
        else if (quoted && (c == '"' || c == '\\'))
            out.append("\\").append(next);
        else
            out += next;
    }
}

}

void append_safe(std::string& out, std::string_view text)
{
    append(out, text, false);
}

void append_quoted(std::string& out, std::string_view text)
{
    out += '"';
    append(out, text, true);
    out += '"';
}

}
