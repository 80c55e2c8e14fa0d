#include <cuebox/event/utf8.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace cuebox::event {

namespace {

bool continues(const char* at, unsigned char low = 0x80, unsigned char high = 0xBF)
{
    const auto byte = static_cast<unsigned char>(*at);
    return byte >= low && byte <= high;
}

bool is_plain(char letter)
{
    const auto byte = static_cast<unsigned char>(letter);
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

constexpr std::uint64_t each(unsigned char byte)
{
    return 0x0101010101010101ULL * byte;
}

// Whether one of eight bytes, all below 0x80, is zero.
constexpr std::uint64_t zeros(std::uint64_t eight)
{
    return (eight - each(1)) & each(0x80);
}

// A mark in each of eight bytes that is not plain. Borrows between bytes can only add a mark behind
// one that is right, so the first is.
std::uint64_t special_marks(const char* at)
{
    std::uint64_t eight = 0;
    std::memcpy(&eight, at, sizeof eight);
    const auto high = eight & each(0x80);
    const auto control = (eight - each(0x20)) & each(0x80);
    return high | control | zeros(eight ^ each('"')) | zeros(eight ^ each('\\'));
}

}

// The table of well-formed sequences of the Unicode standard, 3-7.
std::size_t utf8_length(const char* at, const char* end) noexcept
{
    const auto left = static_cast<std::size_t>(end - at);
    if (left == 0)
        return 0;
    const auto lead = static_cast<unsigned char>(*at);
    if (lead < 0x80)
        return 1;
    if (lead >= 0xC2 && lead <= 0xDF)
        return left >= 2 && continues(at + 1) ? 2 : 0;
    if (lead >= 0xE0 && lead <= 0xEF) {
        const unsigned char low = lead == 0xE0 ? 0xA0 : 0x80;
        const unsigned char high = lead == 0xED ? 0x9F : 0xBF;
        return left >= 3 && continues(at + 1, low, high) && continues(at + 2) ? 3 : 0;
    }
    if (lead >= 0xF0 && lead <= 0xF4) {
        const unsigned char low = lead == 0xF0 ? 0x90 : 0x80;
        const unsigned char high = lead == 0xF4 ? 0x8F : 0xBF;
        const bool good =
            left >= 4 && continues(at + 1, low, high) && continues(at + 2) && continues(at + 3);
        return good ? 4 : 0;
    }
    return 0;
}

char32_t utf8_code_point(std::string_view sequence) noexcept
{
    constexpr std::array<unsigned char, 5> lead_bits{0, 0x7F, 0x1F, 0x0F, 0x07};
    char32_t letter = static_cast<unsigned char>(sequence.front()) & lead_bits[sequence.size()];
    for (const char byte : sequence.substr(1))
        letter = (letter << 6U) | (static_cast<unsigned char>(byte) & 0x3FU);
    return letter;
}

bool is_utf8(std::string_view text) noexcept
{
    const char* at = text.data();
    const char* const end = at + text.size();
    for (;;) {
        at = skip_plain(at, end);
        if (at == end)
            return true;
        const auto length = utf8_length(at, end);
        if (length == 0)
            return false;
        at += length;
    }
}

void append_utf8(std::string& out, char32_t code_point)
{
    const auto tail = [code_point](int shift) {
        return static_cast<char>(0x80 | ((code_point >> shift) & 0x3F));
    };
    if (code_point < 0x80) {
        out += static_cast<char>(code_point);
    }
    else if (code_point < 0x800) {
        out += static_cast<char>(0xC0 | (code_point >> 6));
        out += tail(0);
    }
    else if (code_point < 0x10000) {
        out += static_cast<char>(0xE0 | (code_point >> 12));
        out += tail(6);
        out += tail(0);
    }
    else {
        out += static_cast<char>(0xF0 | (code_point >> 18));
        out += tail(12);
        out += tail(6);
        out += tail(0);
    }
}

const char* skip_plain(const char* at, const char* end) noexcept
{
    // The first byte in memory is the lowest of the number only here.
    if constexpr (std::endian::native == std::endian::little)
        for (; end - at >= 8; at += 8)
            if (const auto marks = special_marks(at))
                return at + std::countr_zero(marks) / 8;
    while (at != end && is_plain(*at))
        ++at;
    return at;
}

}
