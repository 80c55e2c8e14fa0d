#pragma once

#include <cstddef>

namespace cuebox::event {

// What a payload may grow to as JSON text, and how deep its objects and arrays may nest.
inline constexpr std::size_t payload_max = 256 * 1024;
inline constexpr std::size_t depth_max = 64;

// What a reader or a writer holds on to. An envelope needs a little more than the payload in it.
struct limits
{
    std::size_t bytes = payload_max;
    std::size_t depth = depth_max;
};

}
