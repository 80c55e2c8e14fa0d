#pragma once

#include <cuebox/pg/field.hpp>

#include <string>
#include <string_view>

namespace cuebox::pg::test {

inline std::string from_hex(std::string_view hex)
{
    std::string data;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        data.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
    return data;
}

// Reads a field of the column "total" of the statement "get order", as the server would send it.
template <class T>
T read(oid type, std::string_view hex)
{
    const std::string data = from_hex(hex);
    T out{};
    read_field({.statement = "get order", .column = "total", .type = type, .data = data}, out);
    return out;
}

template <class T>
T read_null(oid type)
{
    T out{};
    read_field({.statement = "get order", .column = "total", .type = type, .null = true}, out);
    return out;
}

}
