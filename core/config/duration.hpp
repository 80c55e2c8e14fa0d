#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace cuebox::config {

// Reads "250ms", "1.5s", "45d": a decimal number and one of ns, us, ms, s, m, h, d, nothing else.
// None when it is anything else, negative, finer than a nanosecond or longer than 292 years.
std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text);

// The shortest whole number that parse_duration reads back: "90s", "2m", "1500ms", "0s".
std::string print_duration(std::chrono::nanoseconds duration);

}
