#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>

// Postgres's binary formats are big-endian.
namespace cuebox::pg::wire {

template <class T>
T swap_to_network(T value)
{
    if constexpr (sizeof(T) == 1 || std::endian::native == std::endian::big)
        return value;
    else if constexpr (sizeof(T) == 2)
        return static_cast<T>(__builtin_bswap16(static_cast<std::uint16_t>(value)));
    else if constexpr (sizeof(T) == 4)
        return static_cast<T>(__builtin_bswap32(static_cast<std::uint32_t>(value)));
    else
        return static_cast<T>(__builtin_bswap64(static_cast<std::uint64_t>(value)));
}

template <std::integral T>
void put(std::string& out, T value)
{
    const T swapped = swap_to_network(value);
    out.append(reinterpret_cast<const char*>(&swapped), sizeof swapped);
}

// Over what is there.
template <std::integral T>
void put_at(std::string& out, std::size_t at, T value)
{
    const T swapped = swap_to_network(value);
    std::memcpy(out.data() + at, &swapped, sizeof swapped);
}

template <std::integral T>
T get(const char* from)
{
    T value;
    std::memcpy(&value, from, sizeof value);
    return swap_to_network(value);
}

}
