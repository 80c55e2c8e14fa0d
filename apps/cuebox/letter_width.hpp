#pragma once

#include <cstddef>

namespace cuebox::cli {

// How many columns of a terminal a letter takes: two for wide ones, none for those that combine
// with the one before.
std::size_t letter_width(char32_t letter);

}
