#pragma once

#include <cuebox/event/encode.hpp>

#include <iostream>
#include <limits>
#include <string>

namespace cuebox::cli {

// What --json prints: a line, of any length.
template <class T>
void print_json(const T& value)
{
    std::string json;
    event::encode_into(json, value, {.bytes = std::numeric_limits<std::size_t>::max()});
    std::cout << json << '\n';
}

}
