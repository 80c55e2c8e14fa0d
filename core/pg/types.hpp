#pragma once

#include <boost/uuid/uuid.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::pg {

using uuid = boost::uuids::uuid;
// timestamptz, to the microsecond; its ends are Postgres's infinities.
using timestamp = std::chrono::sys_time<std::chrono::microseconds>;
using bytes = std::vector<std::byte>;
// The number Postgres knows a type by.
using oid = std::uint32_t;

// JSON text on its way into a jsonb parameter. It views the text: encoded at once, never kept.
struct json
{
    std::string_view text;
};

// Where a row version lies: its ctid. Good only while the row is locked or known not to move.
struct tid
{
    std::uint32_t block{};
    std::uint16_t offset{};

    auto operator<=>(const tid&) const = default;
};

// The types Cuebox speaks on the wire, by their fixed numbers.
namespace type {

inline constexpr oid inferred = 0; // The server decides by context.
inline constexpr oid boolean = 16, bytea = 17, name = 19, int8 = 20, int2 = 21, int4 = 23,
                     text = 25, oid_number = 26, tid = 27, json = 114, float4 = 700, float8 = 701,
                     unknown = 705, bpchar = 1042, varchar = 1043, timestamp = 1114,
                     timestamptz = 1184, interval = 1186, numeric = 1700, void_type = 2278,
                     uuid = 2950, jsonb = 3802;
// The first number a user's own type can have: enums and domains are read as text.
inline constexpr oid first_of_users = 16384;

}

}
