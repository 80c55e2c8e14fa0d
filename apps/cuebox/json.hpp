#pragma once

#include <cuebox/event/encode.hpp>

#include <iostream>
#include <limits>
#include <string>

namespace cuebox::cli {

// What --json prints: a line, of any length. `around` is how many objects and arrays there are
// around stored JSON, which may itself nest as deep as a payload, and is not looked at any deeper.
template <class T>
void print_json(const T& value, std::size_t around = 1)
{
    std::string json;
    event::encode_into(
        json, value,
        {.bytes = std::numeric_limits<std::size_t>::max(), .depth = event::depth_max + around});
    std::cout << json << '\n';
}

}
