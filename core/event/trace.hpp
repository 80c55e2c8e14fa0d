#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace cuebox::event {

// W3C trace context: which trace an event belongs to, and which span caused it.
struct traceparent
{
    std::array<std::uint8_t, 16> trace_id{};
    std::array<std::uint8_t, 8> span_id{};
    std::uint8_t flags = 1; // 1 is sampled.

    bool operator==(const traceparent&) const = default;
};

// Version 00 alone, 00-<trace id>-<span id>-<flags> in lower case; an id of zeros is none.
std::optional<traceparent> parse_traceparent(std::string_view text);
std::string print_traceparent(const traceparent& trace);
// 32 and 16 hexadecimal digits.
std::string print_trace_id(const traceparent& trace);
std::string print_span_id(const traceparent& trace);

// The start of a trace, and a new span within one. Random, and safe to call from any thread.
traceparent new_trace();
traceparent child_of(const traceparent& parent);

}
