#pragma once

#include <string>
#include <string_view>

namespace cuebox::telemetry {

// Text as it may stand in a log line, whatever it holds: readable UTF-8 stays as it is, what is not
// UTF-8 becomes U+FFFD, and what would break the line, forge another one or show a different one on
// a screen is escaped as in JSON: control characters, line and paragraph separators, marks that
// turn the direction of writing.
void append_safe(std::string& out, std::string_view text);

// The same between quotes, as a JSON string.
void append_quoted(std::string& out, std::string_view text);

}
