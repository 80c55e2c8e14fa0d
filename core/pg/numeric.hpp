#pragma once

#include <string>
#include <string_view>

namespace cuebox::pg::detail {

// The digits of a numeric in binary format, as Postgres prints them: "-12.50", "NaN", "Infinity".
std::string numeric_text(std::string_view data);

}
