#pragma once

#include <boost/pfr/core_name.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// Questions that read.hpp asks about a type before it knows how to read it.
namespace cuebox::config::detail {

template <class T>
inline constexpr bool is_duration = false;
template <class Rep, class Period>
inline constexpr bool is_duration<std::chrono::duration<Rep, Period>> = true;

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;

template <class Struct>
constexpr auto field_names()
{
    // Of no fields Boost.PFR makes an array of null pointers.
    if constexpr (std::is_empty_v<Struct>)
        return std::array<std::string_view, 0>{};
    else
        return boost::pfr::names_as_array<Struct>();
}

constexpr bool all_among(const auto& some, const auto& all)
{
    return std::ranges::all_of(some, [&all](const auto& name) {
        return std::ranges::find(all, name) != std::ranges::end(all);
    });
}

}
