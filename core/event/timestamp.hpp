#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cuebox::event {

// What Postgres keeps: microseconds since 1970 in UTC.
using timestamp = std::chrono::sys_time<std::chrono::microseconds>;

timestamp now();

// RFC 3339 as 2026-11-16T03:44:05.123456Z, always in UTC and with six digits. Nothing outside the
// years 0001 to 9999, which it cannot write.
std::optional<std::string> print_timestamp(timestamp time);
bool has_text(timestamp time);
// The same into 27 letters; false when it cannot be written.
bool print_timestamp(timestamp time, std::span<char, 27> out);

// The same, also with an offset such as +02:00 and up to nine digits of a second, of which those
// after the sixth are dropped. A leap second (:60) is not a moment of this clock, so it is none.
std::optional<timestamp> parse_timestamp(std::string_view text);

}
