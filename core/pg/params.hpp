#pragma once

#include <cuebox/pg/encoder.hpp>

#include <concepts>
#include <cstddef>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::pg {

// The values of a statement's $1, $2, …, typed by what they are in C++ and encoded at once, so
// nothing they view has to outlive this. Text goes untyped, so that the server takes it for what
// the place needs: an enum, a date, a jsonb. A range becomes an array; an empty optional, NULL.
class params
{
public:
    params() = default;

    template <class... Values>
    explicit params(std::in_place_t, const Values&... values)
    {
        slots_.reserve(sizeof...(values));
        (add(values), ...);
    }

    template <class T>
    params& add(const T& value);
    params& add_null(oid type = type::inferred);

    std::size_t size() const noexcept { return slots_.size(); }

    // What libpq's calls and other clients take, valid as long as this is unchanged.
    struct view
    {
        std::vector<oid> types{};
        std::vector<const char*> values{};
        std::vector<int> lengths{};
        std::vector<int> formats{}; // 0 text, 1 binary
    };
    view for_libpq() const;

private:
    struct slot
    {
        oid type;
        bool binary;
        bool null;
        std::size_t begin;
        std::size_t length;
    };

    void add_slot(slot added);
    void add_text(std::string_view text);
    // Remembers what was appended since begin as one binary value.
    void close_binary(oid type, std::size_t begin);
    [[noreturn]] void refuse(std::string_view why) const;

    template <class Range>
    void add_array(const Range& values);

    std::string buffer_;
    std::vector<slot> slots_;
};

namespace detail {

template <class T>
inline constexpr bool is_optional = false;
template <class T>
inline constexpr bool is_optional<std::optional<T>> = true;

template <class T>
inline constexpr bool is_text = std::convertible_to<const T&, std::string_view>;

template <class T>
inline constexpr bool is_bytes = std::convertible_to<const T&, std::span<const std::byte>>;

// A NUL byte cannot be in a Postgres text, and would cut it short on the way.
bool has_nul(std::string_view text);

template <class T>
bool is_text_with_nul(const T& value)
{
    if constexpr (is_optional<T>)
        return value && is_text_with_nul(*value);
    else if constexpr (is_text<T>)
        return has_nul(value);
    else
        return false;
}

// Appends a length and the value, or the length that means NULL.
template <class T>
void put_sized(std::string& out, const T& value)
{
    if constexpr (is_optional<T>) {
        if (value)
            put_sized(out, *value);
        else
            wire::put(out, std::int32_t{-1});
    }
    else if constexpr (is_text<T>) {
        const std::string_view text = value;
        wire::put(out, static_cast<std::int32_t>(text.size()));
        out.append(text);
    }
    else {
        static_assert(encodable<T>, "no pg::encoder knows this type");
        const std::size_t at = out.size();
        out.append(4, '\0');
        encoder<T>::put(out, value);
        wire::put_at(out, at, static_cast<std::int32_t>(out.size() - at - 4));
    }
}

template <class T>
struct element
{
    using type = T;
};
template <class T>
struct element<std::optional<T>>
{
    using type = T;
};

}

template <class T>
params& params::add(const T& value)
{
    if constexpr (std::same_as<T, std::nullopt_t> || std::same_as<T, std::nullptr_t>) {
        add_null();
    }
    else if constexpr (detail::is_optional<T>) {
        if (value)
            add(*value);
        else if constexpr (detail::is_text<typename T::value_type> ||
                           !encodable<typename T::value_type>)
            add_null(); // Arrays as well.
        else
            add_null(encoder<typename T::value_type>::type);
    }
    else if constexpr (detail::is_text<T>) {
        add_text(value);
    }
    else if constexpr (detail::is_bytes<T>) {
        const std::size_t begin = buffer_.size();
        encoder<bytes>::put(buffer_, value);
        close_binary(type::bytea, begin);
    }
    else if constexpr (encodable<T>) {
        const std::size_t begin = buffer_.size();
        encoder<T>::put(buffer_, value);
        close_binary(encoder<T>::type, begin);
    }
    else {
        static_assert(std::ranges::sized_range<T>, "no pg::encoder knows this type");
        add_array(value);
    }
    return *this;
}

template <class Range>
void params::add_array(const Range& values)
{
    using value_type = std::ranges::range_value_t<Range>;
    using scalar = typename detail::element<value_type>::type;
    const std::size_t begin = buffer_.size();
    const auto count = std::ranges::size(values);
    if (count > std::numeric_limits<std::int32_t>::max())
        refuse("the array has too many elements");

    wire::put(buffer_, std::int32_t{count > 0 ? 1 : 0}); // Dimensions.
    wire::put(buffer_, std::int32_t{1});                 // There may be NULLs.
    wire::put(buffer_, static_cast<std::int32_t>(encoder<scalar>::type));
    if (count > 0) {
        wire::put(buffer_, static_cast<std::int32_t>(count));
        wire::put(buffer_, std::int32_t{1}); // The first index.
    }
    for (const auto& value : values) {
        if (detail::is_text_with_nul<value_type>(value))
            refuse("a text in the array contains a NUL byte: Postgres cannot store it");
        detail::put_sized(buffer_, static_cast<const value_type&>(value));
    }
    close_binary(encoder<scalar>::array, begin);
}

}
