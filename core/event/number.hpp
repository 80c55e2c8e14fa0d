#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Numbers as RFC 8259 writes them.
namespace cuebox::event::detail {

// The end of the number that starts at `at`, null when none does.
const char* number_end(const char* at, const char* end);

// Each takes what number_end has found. None when it does not fit: nothing is rounded to fit.
std::optional<double> to_double(std::string_view number);
std::optional<std::int64_t> to_signed(std::string_view number, std::int64_t min, std::int64_t max);
std::optional<std::uint64_t> to_unsigned(std::string_view number, std::uint64_t max);

// What to say about those that did not fit.
std::string why_no_double(std::string_view number);
std::string why_no_integer(std::string_view number, const std::string& min, const std::string& max);

}
