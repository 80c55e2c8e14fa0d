#pragma once

#include <cuebox/config/duration.hpp>
#include <cuebox/config/node.hpp>
#include <cuebox/config/shapes.hpp>

#include <boost/pfr/core.hpp>

#include <array>
#include <chrono>
#include <concepts>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace cuebox::config {

// Reads a value into a plain struct, and into whatever its fields are made of:
//
//     struct child
//     {
//         std::string name;                     // Has to be given: see required.
//         std::chrono::milliseconds every{250}; // The default, kept when the key is absent.
//         std::optional<int> restarts;          // Absent or null.
//         node params;                          // Kept as it is, for someone else to read.
//
//         static constexpr std::string_view required[] = {"name"};
//         static constexpr std::string_view read_elsewhere[] = {"kind"}; // Optional: not unknown.
//         void validate(const node& from) const; // Optional: refuses with from.refuse(...).
//     };
//
// A struct of a room that knows no config states its rules as a function beside it, which gives the
// first field that breaks one, and the rule: find_fault(const child&), an optional pair of texts.
//
// The first thing wrong is thrown as a config::error: a wrong type, a number that does not fit, an
// unknown key, a required key that is absent. An absent struct is not looked into: name it among
// the required ones when its own required keys matter.
template <class T>
T read(const node& from);

// The same onto an existing value: a struct keeps what the config leaves out, all else is replaced.
template <class T>
void read_into(const node& from, T& out);

// How an enum is written, given once beside it:
//
//     template <>
//     struct cuebox::config::enum_names<mode>
//     {
//         static constexpr std::pair<std::string_view, mode> values[] = {
//             {"fast", mode::fast},
//             {"safe", mode::safe},
//         };
//     };
template <class Enum>
struct enum_names;

namespace detail {

// Refuses a key that is not among names, then the absence of one that is required.
void check_keys(const node& from, std::span<const std::string_view> names,
                std::span<const std::string_view> required);

// The index among names of the string that from holds, refused when it is none of them.
std::size_t pick(const node& from, std::span<const std::string_view> names);

template <class Enum>
Enum read_enum(const node& from)
{
    constexpr auto& values = enum_names<Enum>::values;
    std::array<std::string_view, std::size(values)> names;
    for (std::size_t i = 0; i < names.size(); ++i)
        names[i] = values[i].first;
    return values[pick(from, names)].second;
}

template <class Duration>
Duration read_duration(const node& from)
{
    static_assert(sizeof(typename Duration::rep) >= 8, "a shorter count could overflow");
    const auto exact = from.as_duration();
    const auto duration = std::chrono::duration_cast<Duration>(exact);
    if constexpr (!std::chrono::treat_as_floating_point_v<typename Duration::rep>)
        if (duration != exact)
            from.refuse('"' + from.as_string() + "\" is not a whole number of steps of " +
                        print_duration(Duration{1}));
    return duration;
}

// The keys that may stand beside the fields of a struct, because somebody else reads them.
template <class Struct>
constexpr auto known_keys()
{
    constexpr auto names = field_names<Struct>();
    if constexpr (requires { Struct::read_elsewhere; }) {
        std::array<std::string_view, names.size() + std::size(Struct::read_elsewhere)> all{};
        const auto rest = std::ranges::copy(names, all.begin()).out;
        std::ranges::copy(Struct::read_elsewhere, rest);
        return all;
    }
    else {
        return names;
    }
}

template <class Struct>
void read_struct(const node& from, Struct& out)
{
    static constexpr auto names = field_names<Struct>();
    static constexpr auto known = known_keys<Struct>();
    if constexpr (requires { Struct::required; }) {
        static_assert(all_among(Struct::required, names), "required names an unknown field");
        check_keys(from, known, Struct::required);
    }
    else {
        check_keys(from, known, {});
    }

    boost::pfr::for_each_field(out, [&from](auto& field, std::size_t index) {
        if (const auto found = from.find(names[index]))
            read_into(*found, field);
    });

    if constexpr (requires { &Struct::validate; })
        std::as_const(out).validate(from);
    else if constexpr (requires { find_fault(std::as_const(out)); })
        if (const auto fault = find_fault(std::as_const(out)))
            from.refuse(fault->first, fault->second);
}

}

template <class T>
void read_into(const node& from, T& out)
{
    using limits = std::numeric_limits<T>;
    if constexpr (std::same_as<T, node>) {
        out = from;
    }
    else if constexpr (std::same_as<T, bool>) {
        out = from.as_bool();
    }
    else if constexpr (std::signed_integral<T>) {
        out = static_cast<T>(from.as_signed(limits::min(), limits::max()));
    }
    else if constexpr (std::unsigned_integral<T>) {
        out = static_cast<T>(from.as_unsigned(limits::max()));
    }
    else if constexpr (std::same_as<T, double> || std::same_as<T, float>) {
        out = static_cast<T>(from.as_double(limits::max()));
    }
    else if constexpr (std::same_as<T, std::string>) {
        out = from.as_string();
    }
    else if constexpr (std::is_enum_v<T>) {
        out = detail::read_enum<T>(from);
    }
    else if constexpr (detail::is_duration<T>) {
        out = detail::read_duration<T>(from);
    }
    else if constexpr (detail::is_optional<T>) {
        out.reset();
        if (from.kind() != kind::null)
            out = read<typename T::value_type>(from);
    }
    else if constexpr (detail::is_vector<T>) {
        out.clear();
        from.expect(kind::array);
        for (std::size_t i = 0; i < from.size(); ++i)
            out.push_back(read<typename T::value_type>(from.element(i)));
    }
    else if constexpr (detail::is_map<T>) {
        out.clear();
        for (const auto& key : from.keys())
            out.emplace(key, read<typename T::mapped_type>(*from.find(key)));
    }
    else {
        static_assert(std::is_aggregate_v<T> && std::is_class_v<T>, "config cannot read this type");
        detail::read_struct(from, out);
    }
}

template <class T>
T read(const node& from)
{
    T out{};
    read_into(from, out);
    return out;
}

}
