#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace cuebox::alerts {

// Fit for JSON, whatever an exception had to say: what is not UTF-8 and what no text contains
// becomes a question mark, and past so many bytes it ends in "…".
std::string clean(std::string_view text, std::size_t max);

// What failures of the same cause have in common: the class of the error; the whole first line
// where the class is a type that says nothing of the cause, such as runtime_error. Numbers, ids and
// what is quoted are left out: "runtime_error: order 7 of "Ada" is gone" is
// "runtime_error: order # of "…" is gone".
std::string cause_of(std::string_view error);

}
