#pragma once

#include <cuebox/pg/types.hpp>

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::pg {

// One field of a result, in Postgres's binary format. It views the result.
struct field
{
    std::string_view statement{}; // The name of the one it came from.
    std::string_view column{};
    oid type{};
    bool null = false;
    std::string_view data{};

    // Whatever it cannot be read as without loss is an error of errc::shape that names the column,
    // its type and what was asked for.
    [[noreturn]] void refuse(std::string_view wanted) const;
};

// How a field is read into a C++ value. Overload it beside a type of your own.
void read_field(const field& from, bool& out);
void read_field(const field& from, std::int16_t& out);
void read_field(const field& from, std::int32_t& out);
void read_field(const field& from, std::int64_t& out);
void read_field(const field& from, double& out);
// text and its relatives, json, jsonb, enums, and numeric as its digits.
void read_field(const field& from, std::string& out);
void read_field(const field& from, uuid& out);
void read_field(const field& from, timestamp& out);
void read_field(const field& from, std::chrono::microseconds& out);
void read_field(const field& from, bytes& out);
void read_field(const field& from, tid& out);

namespace detail {

// The elements of a one-dimensional array.
std::vector<field> array_elements(const field& from);

}

template <class T>
void read_field(const field& from, std::optional<T>& out)
{
    out.reset();
    if (!from.null)
        read_field(from, out.emplace());
}

template <class T>
void read_field(const field& from, std::vector<T>& out)
{
    out.clear();
    for (const field& each : detail::array_elements(from))
        read_field(each, out.emplace_back());
}

}
