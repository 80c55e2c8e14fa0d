#pragma once

#include <string>
#include <string_view>

namespace cuebox::cli {

// JSON with a line for each value, each level indented by two blanks. The text of every value stays
// as it is, numbers to their last digit. For text that is known to be JSON, as from a jsonb column.
std::string indent_json(std::string_view json);

}
