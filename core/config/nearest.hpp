#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace cuebox::config {

// How many letters to insert, drop, replace or swap with their neighbour; case does not count.
std::size_t edit_distance(std::string_view a, std::string_view b);

// The valid name a typo most likely meant, or none when every one is far from it: a wild guess
// misleads more than it helps. Of equally near names the first wins.
std::optional<std::string_view> nearest_name(std::string_view typo,
                                             std::span<const std::string_view> valid);

}
