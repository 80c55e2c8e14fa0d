#pragma once

#include <cuebox/event/fields.hpp>
#include <cuebox/event/reader.hpp>
#include <cuebox/event/shapes.hpp>

#include <limits>

namespace cuebox::event {

// Reads JSON text into a plain struct, straight from the text. docs/events.md tells what a payload
// may contain. Fields that the struct does not have are passed over; a field that is missing or of
// another type is a payload_error that names it.
//
//     struct order_placed
//     {
//         std::int64_t number{};
//         std::vector<item> items;
//         std::optional<std::string> note; // Absent or null.
//         int priority = 3;                // 3 when absent: see defaulted.
//
//         static constexpr std::string_view defaulted[] = {"priority"};
//         static constexpr std::string_view event_type = "order.placed";
//         static constexpr int event_version = 1;
//     };
template <class T>
T decode(std::string_view json);

// The same onto an existing value, which is replaced as a whole but whose memory is used again.
// After an error it holds something of both.
template <class T>
void decode_into(T& out, std::string_view json);

namespace detail {

template <class T>
void read(reader& in, T& out);

template <class Struct, std::size_t Index>
void read_field(reader& in, void* object)
{
    read(in, boost::pfr::get<Index>(*static_cast<Struct*>(object)));
}

// Null for a field that has to be there.
template <class Struct, std::size_t Index>
constexpr auto reset_of() -> void (*)(void*)
{
    if constexpr (is_optional<field_type<Struct, Index>>)
        return [](void* object) { boost::pfr::get<Index>(*static_cast<Struct*>(object)).reset(); };
    else if constexpr (may_be_absent<Struct, Index>())
        return [](void* object) {
            boost::pfr::get<Index>(*static_cast<Struct*>(object)) =
                boost::pfr::get<Index>(Struct{});
        };
    else
        return nullptr;
}

template <class Struct, std::size_t... Index>
constexpr auto make_fields(std::index_sequence<Index...>)
{
    [[maybe_unused]] constexpr auto names = field_names<Struct>();
    return std::array<field, sizeof...(Index)>{
        field{names[Index], read_field<Struct, Index>, reset_of<Struct, Index>()}...};
}

template <class Struct>
void read_struct(reader& in, Struct& out)
{
    static constexpr auto count = field_names<Struct>().size();
    static_assert(count <= fields_max, "a payload struct has too many fields");
    static_assert(defaulted_names_are_fields<Struct>(), "defaulted names an unknown field");
    static constexpr auto fields = make_fields<Struct>(std::make_index_sequence<count>{});
    read_fields(in, fields, &out);
}

template <class... Alternatives>
void read_variant(reader& in, std::variant<Alternatives...>& out)
{
    static_assert((is_tagged_struct<Alternatives>() && ...),
                  "each alternative of a variant is a struct with a `tag` and no field `type`");
    static constexpr std::string_view tags[] = {Alternatives::tag...};
    const auto tag = peek_tag(in, tags);
    std::size_t index = 0;
    ((index++ == tag ? read_struct(in, out.template emplace<Alternatives>()) : void()), ...);
}

// Elements that are there already are read over, which keeps their memory.
template <class T>
void read_vector(reader& in, std::vector<T>& out)
{
    std::size_t size = 0;
    in.begin_array();
    for (; in.next_element(); ++size) {
        if (size == out.size())
            out.emplace_back();
        read(in, out[size]);
    }
    out.resize(size);
}

inline void read_vector(reader& in, std::vector<bool>& out)
{
    out.clear();
    in.begin_array();
    while (in.next_element())
        out.push_back(in.boolean());
}

template <class T, std::size_t Size>
void read_array(reader& in, std::array<T, Size>& out)
{
    std::size_t size = 0;
    in.begin_array();
    for (; in.next_element(); ++size) {
        if (size == Size)
            in.refuse("expected " + std::to_string(Size) + " elements, got more");
        read(in, out[size]);
    }
    if (size < Size)
        in.refuse("expected " + std::to_string(Size) + " elements, got " + std::to_string(size));
}

template <class Map>
void read_map(reader& in, Map& out)
{
    out.clear();
    in.begin_object();
    while (in.next_key()) {
        const auto [place, added] = out.try_emplace(std::string{in.key()});
        if (!added)
            in.refuse("the key is there twice");
        read(in, place->second);
    }
}

template <class T>
void read_parsed(reader& in, T& out, std::optional<T> (*parse)(std::string_view),
                 std::string_view what)
{
    const auto text = in.string();
    const auto value = parse(text);
    if (!value)
        in.refuse(std::string{"not "}.append(what) + ": \"" + std::string{text.substr(0, 64)} +
                  '"');
    out = *value;
}

template <class T>
void read(reader& in, T& out)
{
    using bounds = std::numeric_limits<T>;
    if constexpr (std::same_as<T, bool>) {
        out = in.boolean();
    }
    else if constexpr (integer<T> && std::is_signed_v<T>) {
        out = static_cast<T>(in.signed_integer(bounds::min(), bounds::max()));
    }
    else if constexpr (integer<T>) {
        out = static_cast<T>(in.unsigned_integer(bounds::max()));
    }
    else if constexpr (std::same_as<T, double>) {
        out = in.number();
    }
    else if constexpr (std::same_as<T, std::string>) {
        out = in.string();
    }
    else if constexpr (std::is_enum_v<T>) {
        static constexpr auto names = names_of_enum<T>();
        out = enum_names<T>::values[read_name(in, names)].second;
    }
    else if constexpr (std::same_as<T, uuid>) {
        read_parsed<uuid>(in, out, parse_uuid, "a UUID");
    }
    else if constexpr (std::same_as<T, timestamp>) {
        read_parsed<timestamp>(in, out, parse_timestamp, "an RFC 3339 time");
    }
    else if constexpr (std::same_as<T, raw_json>) {
        out.text = in.skip();
    }
    else if constexpr (is_optional<T>) {
        static_assert(!is_optional<typename T::value_type>, "null would mean either of two");
        if (in.peek() == json_kind::null) {
            in.null();
            out.reset();
        }
        else {
            read(in, out ? *out : out.emplace());
        }
    }
    else if constexpr (is_vector<T>) {
        read_vector(in, out);
    }
    else if constexpr (is_array<T>) {
        read_array(in, out);
    }
    else if constexpr (is_map<T>) {
        read_map(in, out);
    }
    else if constexpr (is_variant<T>) {
        read_variant(in, out);
    }
    else {
        static_assert(reflected_struct<T>, "no payload can hold this type: see docs/events.md");
        read_struct(in, out);
    }
}

}

template <class T>
void decode_into(T& out, std::string_view json)
{
    reader in{json};
    detail::read(in, out);
    in.end();
}

template <class T>
T decode(std::string_view json)
{
    T out{};
    decode_into(out, json);
    return out;
}

}
