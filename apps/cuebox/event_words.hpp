#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/uuid.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

// Parts of an event as lists and `show` name them, safe to print.
namespace cuebox::cli {

std::string or_dash(const std::optional<std::string>& text);
// "shop → billing"; a broadcast is for all.
std::string way(const std::string& source, const std::optional<std::string>& target);
// "1 retry", "3 retries".
std::string retries(std::int32_t used);

// The first of the lines that an event takes in a list, where a row of a table would not fit; and
// their head, with the time's name. Whatever is cut, the id is not.
std::string first_line(event::uuid id, event::timestamp time, std::string_view type,
                       std::size_t columns);
std::string first_line_head(std::string_view time, std::size_t columns);

// What continues a list, on a line of its own: 80 columns have room for it, and it is to be copied.
std::string after(const std::string& next);

}
