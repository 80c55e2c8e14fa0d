#include <cuebox/event/printable.hpp>
#include <cuebox/event/utf8.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace cuebox::event {

namespace {

struct range
{
    char32_t first;
    char32_t last;
};

// Unicode's control characters, its line and paragraph separators, and what it calls default
// ignorable: the bidirectional marks are among those. In order.
constexpr std::array<range, 20> hidden{
    {{0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},
     {0x61C, 0x61C},     {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},
     {0x200B, 0x200F},   {0x2028, 0x202E},   {0x2060, 0x206F},   {0x3164, 0x3164},
     {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},
     {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}}};

bool is_hidden(char32_t letter)
{
    const auto found = std::ranges::lower_bound(hidden, letter, {}, &range::last);
    return found != hidden.end() && found->first <= letter;
}

void append_code(std::string& out, const char* pattern, unsigned code)
{
    std::array<char, 16> escape{};
    std::snprintf(escape.data(), escape.size(), pattern, code);
    out += escape.data();
}

void append_escape(std::string& out, char32_t letter)
{
    const char* pattern = letter < 0x80 ? "\\x%02x" : letter < 0x10000 ? "\\u%04x" : "\\U%08x";
    switch (letter) {
    case '\n':
        out += "\\n";
        break;
    case '\r':
        out += "\\r";
        break;
    case '\t':
        out += "\\t";
        break;
    default:
        append_code(out, pattern, static_cast<unsigned>(letter));
        break;
    }
}

}

std::string printable(std::string_view text)
{
    std::string safe;
    while (!text.empty()) {
        const std::size_t length = utf8_length(text.data(), text.data() + text.size());
        const std::string_view sequence = text.substr(0, std::max<std::size_t>(length, 1));
        text.remove_prefix(sequence.size());
        if (length == 0)
            append_code(safe, "\\x%02x", static_cast<unsigned char>(sequence.front()));
        else if (const char32_t letter = utf8_code_point(sequence); is_hidden(letter))
            append_escape(safe, letter);
        else
            safe += sequence;
    }
    return safe;
}

std::string printable_lines(std::string_view text)
{
    std::string safe;
    for (;;) {
        const std::size_t end = text.find('\n');
        safe += printable(text.substr(0, end));
        if (end == text.npos)
            return safe;
        safe += '\n';
        text.remove_prefix(end + 1);
    }
}

}
