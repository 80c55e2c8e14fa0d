#pragma once

#include <cuebox/event/timestamp.hpp>
#include <cuebox/event/uuid.hpp>

#include <boost/pfr/core.hpp>
#include <boost/pfr/core_name.hpp>

#include <algorithm>
#include <array>
#include <concepts>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

namespace cuebox::event {

// How an enum is written, given once beside it:
//
//     template <>
//     struct cuebox::event::enum_names<currency>
//     {
//         static constexpr std::pair<std::string_view, currency> values[] = {
//             {"EUR", currency::eur},
//             {"USD", currency::usd},
//         };
//     };
template <class Enum>
struct enum_names;

// A value kept as the JSON text it is, for those who only pass it on.
struct raw_json
{
    std::string text = "null";

    bool operator==(const raw_json&) const = default;
};

}

// Questions that encode, decode and json_schema ask about a type.
namespace cuebox::event::detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_vector = false;
template <class T>
inline constexpr bool is_vector<std::vector<T>> = true;

template <class T>
inline constexpr bool is_array = false;
template <class T, std::size_t Size>
inline constexpr bool is_array<std::array<T, Size>> = true;

template <class T>
inline constexpr bool is_map = false;
template <class T>
inline constexpr bool is_map<std::map<std::string, T>> = true;
template <class T>
inline constexpr bool is_map<std::unordered_map<std::string, T>> = true;

template <class T>
inline constexpr bool is_variant = false;
template <class... Alternatives>
inline constexpr bool is_variant<std::variant<Alternatives...>> = true;

// A char is a letter to some and a number to others: neither is guessed.
template <class T>
concept integer = std::integral<T> && !std::same_as<T, bool> && !std::same_as<T, char> &&
                  !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
                  !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

template <class T>
concept reflected_struct = std::is_class_v<T> && std::is_aggregate_v<T> && !is_array<T> &&
                           !std::same_as<T, uuid> && !std::same_as<T, raw_json>;

template <class Struct>
constexpr auto field_names()
{
    // Of no fields Boost.PFR makes an array of null pointers.
    if constexpr (std::is_empty_v<Struct>)
        return std::array<std::string_view, 0>{};
    else
        return boost::pfr::names_as_array<Struct>();
}

template <class Struct, std::size_t Index>
using field_type = std::remove_cvref_t<boost::pfr::tuple_element_t<Index, Struct>>;

constexpr bool contains(const auto& names, std::string_view name)
{
    return std::ranges::find(names, name) != std::ranges::end(names);
}

// Whether a reader may meet the struct without this field.
template <class Struct, std::size_t Index>
constexpr bool may_be_absent()
{
    if constexpr (is_optional<field_type<Struct, Index>>)
        return true;
    else if constexpr (requires { Struct::defaulted; })
        return contains(Struct::defaulted, field_names<Struct>()[Index]);
    else
        return false;
}

template <class Struct>
constexpr bool defaulted_names_are_fields()
{
    if constexpr (requires { Struct::defaulted; })
        return std::ranges::all_of(Struct::defaulted, [](std::string_view name) {
            return contains(field_names<Struct>(), name);
        });
    else
        return true;
}

// In which alternatives of a variant are told apart.
inline constexpr std::string_view tag_key = "type";

template <class Alternative>
constexpr bool is_tagged_struct()
{
    if constexpr (reflected_struct<Alternative> && requires { Alternative::tag; })
        return !contains(field_names<Alternative>(), tag_key);
    else
        return false;
}

template <class Enum>
constexpr auto names_of_enum()
{
    constexpr auto& values = enum_names<Enum>::values;
    std::array<std::string_view, std::size(values)> names;
    for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = values[i].first;
    return names;
}

}
