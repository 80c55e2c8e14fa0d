#pragma once

#include <cuebox/config/node.hpp>

#include <cstddef>
#include <string_view>

namespace cuebox::config {

// Arrays and objects inside one another; a deeper text is refused before it can exhaust the stack.
inline constexpr std::size_t nesting_max = 64;

// Reads JAXN: JSON with # // and /* */ comments, keys without quotes, a comma after the last
// element, 'single quotes', """multi-line strings""", "a" + "b", +1, .5 and 0xff. Binary data, NaN,
// Infinity and a key written twice are refused. The source name only leads the messages of
// config::error.
node parse(std::string_view text, std::string_view source_name);

}
