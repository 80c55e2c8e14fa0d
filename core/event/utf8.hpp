#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cuebox::event {

// The bytes of the well-formed UTF-8 sequence at the front of [at, end), 0 when there is none:
// overlong forms, surrogates and anything past U+10FFFF are not well formed.
std::size_t utf8_length(const char* at, const char* end) noexcept;

// Of one well-formed sequence.
char32_t utf8_code_point(std::string_view sequence) noexcept;

bool is_utf8(std::string_view text) noexcept;

// Takes any scalar value; a surrogate is the caller's mistake.
void append_utf8(std::string& out, char32_t code_point);

// The first byte that a JSON string cannot hold just as it is, or that starts a longer sequence:
// a quote, a backslash, a control character, or a byte of 0x80 and up.
const char* skip_plain(const char* at, const char* end) noexcept;

}
