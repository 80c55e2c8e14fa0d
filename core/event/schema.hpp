#pragma once

#include <cuebox/event/shapes.hpp>
#include <cuebox/event/typed_payload.hpp>

#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::event {

// The JSON Schema (2020-12) of what encode writes for a type: compact, and the same text for the
// same type every time. A payload's schema also states its event_type and event_version.
template <class T>
std::string json_schema();

namespace detail {

// The schema as far as it is written, and the types around the place where it goes on.
class schema
{
public:
    void raw(std::string_view json) { text_ += json; }
    void string(std::string_view value);
    void range(std::int64_t min, std::int64_t max);
    void range(std::uint64_t min, std::uint64_t max);
    std::string take() && { return std::move(text_); }

    // A type inside itself is written as a reference to where it began. False when that was done,
    // otherwise the type is to be written and then closed. It is known by an address.
    bool open(const void* type, const std::string& pointer);
    void close() { open_.pop_back(); }

private:
    struct opened
    {
        const void* type;
        std::string pointer;
    };

    std::string text_;
    std::vector<opened> open_;
};

template <class T>
inline constexpr char address_of_type = 0;

template <class T>
void describe(schema& out, const std::string& pointer);

template <class Struct, std::size_t... Index>
void describe_members(schema& out, const std::string& pointer, std::string_view tag,
                      std::index_sequence<Index...>)
{
    [[maybe_unused]] constexpr auto names = field_names<Struct>();
    bool first = true;
    const auto separate = [&out, &first] { out.raw(std::exchange(first, false) ? "" : ","); };

    out.raw(R"("type":"object","properties":{)");
    if (!tag.empty()) {
        separate();
        out.string(tag_key);
        out.raw(R"(:{"const":)");
        out.string(tag);
        out.raw("}");
    }
    [[maybe_unused]] const auto property = [&]<std::size_t At>() {
        using field = field_type<Struct, At>;
        separate();
        out.string(names[At]);
        out.raw(":");
        const auto inner = pointer + "/properties/" + std::string{names[At]};
        if constexpr (is_optional<field>)
            describe<typename field::value_type>(out, inner);
        else
            describe<field>(out, inner);
    };
    (property.template operator()<Index>(), ...);

    out.raw(R"(},"required":[)");
    first = true;
    const auto require = [&](std::string_view name) {
        separate();
        out.string(name);
    };
    if (!tag.empty())
        require(tag_key);
    ((may_be_absent<Struct, Index>() ? void() : require(names[Index])), ...);
    out.raw("]");
}

template <class Struct>
void describe_struct(schema& out, const std::string& pointer, std::string_view tag = {})
{
    describe_members<Struct>(out, pointer, tag,
                             std::make_index_sequence<field_names<Struct>().size()>{});
}

template <class... Alternatives>
void describe_variant(schema& out, const std::string& pointer,
                      std::type_identity<std::variant<Alternatives...>>)
{
    std::size_t index = 0;
    out.raw(R"({"oneOf":[)");
    const auto alternative = [&]<class Alternative>() {
        out.raw(index == 0 ? "{" : ",{");
        describe_struct<Alternative>(out, pointer + "/oneOf/" + std::to_string(index++),
                                     Alternative::tag);
        out.raw("}");
    };
    (alternative.template operator()<Alternatives>(), ...);
    out.raw("]}");
}

template <class T>
void describe(schema& out, const std::string& pointer)
{
    using bounds = std::numeric_limits<T>;
    if constexpr (std::same_as<T, bool>) {
        out.raw(R"({"type":"boolean"})");
    }
    else if constexpr (integer<T> && std::is_signed_v<T>) {
        out.range(std::int64_t{bounds::min()}, std::int64_t{bounds::max()});
    }
    else if constexpr (integer<T>) {
        out.range(std::uint64_t{0}, std::uint64_t{bounds::max()});
    }
    else if constexpr (std::same_as<T, double>) {
        out.raw(R"({"type":"number"})");
    }
    else if constexpr (std::same_as<T, std::string>) {
        out.raw(R"({"type":"string"})");
    }
    else if constexpr (std::is_enum_v<T>) {
        std::string_view separator = R"({"type":"string","enum":[)";
        for (const auto name : names_of_enum<T>()) {
            out.raw(std::exchange(separator, ","));
            out.string(name);
        }
        out.raw("]}");
    }
    else if constexpr (std::same_as<T, uuid>) {
        out.raw(R"({"type":"string","format":"uuid"})");
    }
    else if constexpr (std::same_as<T, timestamp>) {
        out.raw(R"({"type":"string","format":"date-time"})");
    }
    else if constexpr (std::same_as<T, raw_json>) {
        out.raw("{}");
    }
    else if constexpr (is_optional<T>) {
        out.raw(R"({"anyOf":[)");
        describe<typename T::value_type>(out, pointer + "/anyOf/0");
        out.raw(R"(,{"type":"null"}]})");
    }
    else if constexpr (is_vector<T>) {
        out.raw(R"({"type":"array","items":)");
        describe<typename T::value_type>(out, pointer + "/items");
        out.raw("}");
    }
    else if constexpr (is_array<T>) {
        const auto size = std::to_string(std::tuple_size_v<T>);
        out.raw(R"({"type":"array","items":)");
        describe<typename T::value_type>(out, pointer + "/items");
        out.raw(R"(,"minItems":)" + size + R"(,"maxItems":)" + size + "}");
    }
    else if constexpr (is_map<T>) {
        out.raw(R"({"type":"object","additionalProperties":)");
        describe<typename T::mapped_type>(out, pointer + "/additionalProperties");
        out.raw("}");
    }
    else if constexpr (is_variant<T>) {
        if (out.open(&address_of_type<T>, pointer)) {
            describe_variant(out, pointer, std::type_identity<T>{});
            out.close();
        }
    }
    else if (out.open(&address_of_type<T>, pointer)) {
        static_assert(reflected_struct<T>, "no payload can hold this type: see docs/events.md");
        out.raw("{");
        describe_struct<T>(out, pointer);
        out.raw("}");
        out.close();
    }
}

}

template <class T>
std::string json_schema()
{
    detail::schema out;
    if constexpr (typed_payload<T>) {
        out.raw(R"({"$schema":"https://json-schema.org/draft/2020-12/schema","event_type":)");
        out.string(T::event_type);
        out.raw(R"(,"event_version":)" + std::to_string(T::event_version) + ",");
        out.open(&detail::address_of_type<T>, "#");
        detail::describe_struct<T>(out, "#");
        out.raw("}");
    }
    else {
        detail::describe<T>(out, "#");
    }
    return std::move(out).take();
}

}
