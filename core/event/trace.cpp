#include <cuebox/event/trace.hpp>

#include <climits>

#include <algorithm>
#include <charconv>
#include <random>
#include <span>

namespace cuebox::event {

namespace {

constexpr std::size_t text_size = 55;
constexpr std::string_view digits = "0123456789abcdef";

bool parse_hex(std::string_view text, std::span<std::uint8_t> out)
{
    if (text.find_first_not_of(digits) != std::string_view::npos)
        return false;
    for (std::size_t i = 0; i < out.size(); ++i) {
        const char* const pair = text.data() + 2 * i;
        std::from_chars(pair, pair + 2, out[i], 16);
    }
    return true;
}

void print_hex(std::string& text, std::span<const std::uint8_t> bytes)
{
    for (const auto byte : bytes)
        (text += digits[byte >> 4]) += digits[byte & 15];
}

bool is_zero(std::span<const std::uint8_t> bytes)
{
    return std::ranges::all_of(bytes, [](std::uint8_t byte) { return byte == 0; });
}

// Ids have to differ, not to be secret.
void fill(std::span<std::uint8_t> id)
{
    static thread_local std::independent_bits_engine<std::mt19937_64, CHAR_BIT, unsigned> random{
        std::mt19937_64{(std::uint64_t{std::random_device{}()} << 32) | std::random_device{}()}};
    do
        std::ranges::generate(id, [] { return static_cast<std::uint8_t>(random()); });
    while (is_zero(id));
}

}

std::optional<traceparent> parse_traceparent(std::string_view text)
{
    const bool shaped =
        text.size() == text_size && text.starts_with("00-") && text[35] == '-' && text[52] == '-';
    traceparent trace;
    if (!shaped || !parse_hex(text.substr(3, 32), trace.trace_id) ||
        !parse_hex(text.substr(36, 16), trace.span_id) ||
        !parse_hex(text.substr(53, 2), {&trace.flags, 1}))
        return std::nullopt;
    if (is_zero(trace.trace_id) || is_zero(trace.span_id))
        return std::nullopt;
    return trace;
}

std::string print_traceparent(const traceparent& trace)
{
    std::string text = "00-";
    text.reserve(text_size);
    print_hex(text, trace.trace_id);
    text += '-';
    print_hex(text, trace.span_id);
    text += '-';
    print_hex(text, {&trace.flags, 1});
    return text;
}

std::string print_trace_id(const traceparent& trace)
{
    std::string text;
    print_hex(text, trace.trace_id);
    return text;
}

std::string print_span_id(const traceparent& trace)
{
    std::string text;
    print_hex(text, trace.span_id);
    return text;
}

traceparent new_trace()
{
    traceparent trace;
    fill(trace.trace_id);
    fill(trace.span_id);
    return trace;
}

traceparent child_of(const traceparent& parent)
{
    traceparent child = parent;
    fill(child.span_id);
    return child;
}

}
