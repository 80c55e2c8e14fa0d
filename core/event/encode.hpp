#pragma once

#include <cuebox/event/shapes.hpp>
#include <cuebox/event/writer.hpp>

#include <cstdint>

namespace cuebox::event {

// Writes a plain struct as compact JSON; docs/events.md tells what it may contain and how it is
// written. What Postgres could not store, and what is too large or too deep for an event, is
// refused with a payload_error that names the field.
template <class T>
std::string encode(const T& value);

// The same at the end of a string, which stays as it was when the value is refused.
template <class T>
void encode_into(std::string& out, const T& value, limits limits = {});

namespace detail {

template <class T>
void write(writer& out, const T& value);

template <class T>
void write_member(writer& out, std::string_view name, const T& value)
{
    out.field(name);
    write(out, value);
}

// An empty optional is left out.
template <class T>
void write_member(writer& out, std::string_view name, const std::optional<T>& value)
{
    if (value)
        write_member(out, name, *value);
}

template <class Struct>
void write_fields(writer& out, const Struct& value)
{
    [[maybe_unused]] static constexpr auto names = field_names<Struct>();
    boost::pfr::for_each_field(value, [&out](const auto& field, std::size_t index) {
        write_member(out, names[index], field);
    });
}

template <class Alternative>
void write_tagged(writer& out, const Alternative& value)
{
    static_assert(is_tagged_struct<Alternative>(),
                  "each alternative of a variant is a struct with a `tag` and no field `type`");
    out.begin_object();
    out.key(tag_key);
    out.string(Alternative::tag);
    write_fields(out, value);
    out.end_object();
}

template <class Enum>
void write_enum(writer& out, Enum value)
{
    for (const auto& [name, named] : enum_names<Enum>::values)
        if (named == value)
            return out.string(name);
    out.refuse("no name is given to the value " +
               std::to_string(static_cast<std::underlying_type_t<Enum>>(value)));
}

template <class T>
void write(writer& out, const T& value)
{
    if constexpr (std::same_as<T, bool>) {
        out.boolean(value);
    }
    else if constexpr (integer<T> && std::is_signed_v<T>) {
        out.integer(static_cast<std::int64_t>(value));
    }
    else if constexpr (integer<T>) {
        out.integer(static_cast<std::uint64_t>(value));
    }
    else if constexpr (std::same_as<T, double>) {
        out.number(value);
    }
    else if constexpr (std::same_as<T, std::string>) {
        out.string(value);
    }
    else if constexpr (std::is_enum_v<T>) {
        write_enum(out, value);
    }
    else if constexpr (std::same_as<T, uuid>) {
        char text[36];
        print_uuid(value, text);
        out.string({text, sizeof text});
    }
    else if constexpr (std::same_as<T, timestamp>) {
        char text[27];
        if (!print_timestamp(value, text))
            out.refuse("a time outside the years 0001 to 9999");
        out.string({text, sizeof text});
    }
    else if constexpr (std::same_as<T, raw_json>) {
        out.raw(value.text);
    }
    else if constexpr (is_optional<T>) {
        value ? write(out, *value) : out.null();
    }
    else if constexpr (is_vector<T> || is_array<T>) {
        out.begin_array();
        for (const auto& element : value) {
            out.element();
            write(out, static_cast<const typename T::value_type&>(element));
        }
        out.end_array();
    }
    else if constexpr (is_map<T>) {
        out.begin_object();
        for (const auto& [name, mapped] : value) {
            out.key(name);
            write(out, mapped);
        }
        out.end_object();
    }
    else if constexpr (is_variant<T>) {
        std::visit([&out](const auto& alternative) { write_tagged(out, alternative); }, value);
    }
    else {
        static_assert(reflected_struct<T>, "no payload can hold this type: see docs/events.md");
        out.begin_object();
        write_fields(out, value);
        out.end_object();
    }
}

}

template <class T>
void encode_into(std::string& out, const T& value, limits limits)
{
    const auto before = out.size();
    try {
        writer to{out, limits};
        detail::write(to, value);
        to.end();
    }
    catch (...) {
        out.resize(before);
        throw;
    }
}

template <class T>
std::string encode(const T& value)
{
    std::string out;
    encode_into(out, value);
    return out;
}

}
