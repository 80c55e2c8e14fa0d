#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cuebox::alerts {

// Fit for JSON, whatever an exception had to say: what is not UTF-8 and what no text contains
// becomes a question mark, and past so many bytes it ends in "…".
std::string clean(std::string_view text, std::size_t max);

// What failures of the same cause have in common: the first line, with numbers, ids and what is
// quoted left out. "order 7 of "Ada" is gone" is "order # of "…" is gone".
std::string error_class(std::string_view error);

}
