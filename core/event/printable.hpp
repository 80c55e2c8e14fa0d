#pragma once

#include <string>
#include <string_view>

namespace cuebox::event {

// For text that anybody may have written, such as names in the database: nothing in it can command
// a terminal, reorder the line it stands in, or hide. Control characters, bidirectional marks,
// characters without a look of their own and bytes that are no UTF-8 become visible escapes, as in
// \n, \x1b, \u202e and \U000e0041; all else stays as it is.
std::string printable(std::string_view text);

// The same for text that has lines of its own, which stay lines.
std::string printable_lines(std::string_view text);

}
