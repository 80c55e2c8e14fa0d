#pragma once

#include <cuebox/pg/types.hpp>
#include <cuebox/pg/wire.hpp>

#include <bit>
#include <chrono>
#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cuebox::pg {

// How a C++ value is written in Postgres's binary format: its type, the type of an array of it,
// and its bytes without their length. Specialize it to teach Cuebox a type of your own.
template <class T>
struct encoder;

namespace detail {

// Postgres counts from 2000-01-01.
inline constexpr timestamp wire_epoch{std::chrono::sys_days{std::chrono::year{2000} / 1 / 1}};

template <std::integral Wire, oid Type, oid Array>
struct integer_encoder
{
    static constexpr oid type = Type;
    static constexpr oid array = Array;
    static void put(std::string& out, Wire value) { wire::put(out, value); }
};

}

template <>
struct encoder<bool>
{
    static constexpr oid type = type::boolean;
    static constexpr oid array = 1000;
    static void put(std::string& out, bool value) { out.push_back(value ? 1 : 0); }
};

template <>
struct encoder<std::int16_t> : detail::integer_encoder<std::int16_t, type::int2, 1005>
{};
template <>
struct encoder<std::int32_t> : detail::integer_encoder<std::int32_t, type::int4, 1007>
{};
template <>
struct encoder<std::int64_t> : detail::integer_encoder<std::int64_t, type::int8, 1016>
{};
template <>
struct encoder<long long> : detail::integer_encoder<std::int64_t, type::int8, 1016>
{};
// Postgres has no unsigned integers: the next wider one holds it.
template <>
struct encoder<std::uint32_t> : detail::integer_encoder<std::int64_t, type::int8, 1016>
{};

template <>
struct encoder<double>
{
    static constexpr oid type = type::float8;
    static constexpr oid array = 1022;
    static void put(std::string& out, double value)
    {
        wire::put(out, std::bit_cast<std::int64_t>(value));
    }
};

template <>
struct encoder<std::string_view>
{
    static constexpr oid type = type::text;
    static constexpr oid array = 1009;
    static void put(std::string& out, std::string_view value) { out.append(value); }
};
template <>
struct encoder<std::string> : encoder<std::string_view>
{};
template <>
struct encoder<const char*> : encoder<std::string_view>
{};

template <>
struct encoder<json>
{
    static constexpr oid type = type::jsonb;
    static constexpr oid array = 3807;
    static void put(std::string& out, json value)
    {
        out.push_back(1); // The version of jsonb's binary format.
        out.append(value.text);
    }
};

template <>
struct encoder<uuid>
{
    static constexpr oid type = type::uuid;
    static constexpr oid array = 2951;
    static void put(std::string& out, const uuid& value)
    {
        out.append(reinterpret_cast<const char*>(value.begin()), value.size());
    }
};

template <>
struct encoder<timestamp>
{
    static constexpr oid type = type::timestamptz;
    static constexpr oid array = 1185;
    static void put(std::string& out, timestamp value)
    {
        const bool infinite = value == timestamp::max() || value == timestamp::min();
        // What is too early to be counted from 2000 the server refuses, in its own words.
        const bool early = value < timestamp::min() + detail::wire_epoch.time_since_epoch();
        const auto since = infinite ? value.time_since_epoch()
                           : early ? std::chrono::microseconds::min() + std::chrono::microseconds(1)
                                   : value - detail::wire_epoch;
        wire::put(out, static_cast<std::int64_t>(since.count()));
    }
};

template <>
struct encoder<std::chrono::microseconds>
{
    static constexpr oid type = type::interval;
    static constexpr oid array = 1187;
    static void put(std::string& out, std::chrono::microseconds value)
    {
        wire::put(out, static_cast<std::int64_t>(value.count()));
        wire::put(out, std::int64_t{0}); // Days and months.
    }
};
template <>
struct encoder<std::chrono::milliseconds> : encoder<std::chrono::microseconds>
{};
template <>
struct encoder<std::chrono::seconds> : encoder<std::chrono::microseconds>
{};
template <>
struct encoder<std::chrono::minutes> : encoder<std::chrono::microseconds>
{};
template <>
struct encoder<std::chrono::hours> : encoder<std::chrono::microseconds>
{};

template <>
struct encoder<std::span<const std::byte>>
{
    static constexpr oid type = type::bytea;
    static constexpr oid array = 1001;
    static void put(std::string& out, std::span<const std::byte> value)
    {
        out.append(reinterpret_cast<const char*>(value.data()), value.size());
    }
};
template <>
struct encoder<bytes> : encoder<std::span<const std::byte>>
{};

template <>
struct encoder<tid>
{
    static constexpr oid type = type::tid;
    static constexpr oid array = 1010;
    static void put(std::string& out, tid value)
    {
        wire::put(out, value.block);
        wire::put(out, value.offset);
    }
};

template <class T>
concept encodable = requires { encoder<T>::type; };

}
