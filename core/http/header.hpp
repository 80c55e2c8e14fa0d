#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cuebox::http {

using headers = std::vector<std::pair<std::string, std::string>>;

// What HTTP takes; anything else could end the header and begin another.
bool is_header_name(std::string_view name);
bool is_header_value(std::string_view value);

// The first of that name, whatever its case; empty when there is none.
std::string_view find_header(const headers& among, std::string_view name);

}
