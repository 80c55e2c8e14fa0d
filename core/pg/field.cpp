#include <cuebox/pg/encoder.hpp>
#include <cuebox/pg/error.hpp>
#include <cuebox/pg/field.hpp>
#include <cuebox/pg/numeric.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <limits>

namespace cuebox::pg {

namespace {

std::string type_name(oid number)
{
    switch (number) {
    case type::boolean:
        return "boolean";
    case type::bytea:
        return "bytea";
    case type::int8:
        return "bigint";
    case type::int2:
        return "smallint";
    case type::int4:
        return "integer";
    case type::text:
        return "text";
    case type::tid:
        return "tid";
    case type::json:
        return "json";
    case type::float4:
        return "real";
    case type::float8:
        return "double precision";
    case type::varchar:
        return "varchar";
    case type::timestamp:
        return "timestamp";
    case type::timestamptz:
        return "timestamptz";
    case type::interval:
        return "interval";
    case type::numeric:
        return "numeric";
    case type::void_type:
        return "void";
    case type::uuid:
        return "uuid";
    case type::jsonb:
        return "jsonb";
    default:
        return std::to_string(number);
    }
}

void expect(const field& from, bool fits, std::string_view wanted)
{
    if (from.null || !fits)
        from.refuse(wanted);
}

template <class T>
T read_integer(const field& from, std::string_view wanted)
{
    std::int64_t value = 0;
    if (from.type == type::int8 && from.data.size() == 8)
        value = wire::get<std::int64_t>(from.data.data());
    else if (from.type == type::int4 && from.data.size() == 4)
        value = wire::get<std::int32_t>(from.data.data());
    else if (from.type == type::int2 && from.data.size() == 2)
        value = wire::get<std::int16_t>(from.data.data());
    else if (from.type == type::oid_number && from.data.size() == 4)
        value = wire::get<std::uint32_t>(from.data.data());
    else
        from.refuse(wanted);
    expect(from, value >= std::numeric_limits<T>::min() && value <= std::numeric_limits<T>::max(),
           wanted);
    return static_cast<T>(value);
}

bool is_text(oid number)
{
    return number == type::text || number == type::varchar || number == type::bpchar ||
           number == type::name || number == type::json || number == type::unknown ||
           number >= type::first_of_users;
}

}

void field::refuse(std::string_view wanted) const
{
    std::string why = "column \"" + std::string(column) + "\" ";
    why += null ? "is NULL" : "of type " + type_name(type);
    why += null ? ", not " : " does not read as ";
    why += std::string(wanted);
    why += null ? ": read it into a std::optional" : ": cast it in the statement";
    throw error(errc::shape, statement, why);
}

void read_field(const field& from, bool& out)
{
    expect(from, from.type == type::boolean && from.data.size() == 1, "a boolean");
    out = from.data[0] != 0;
}

void read_field(const field& from, std::int16_t& out)
{
    out = read_integer<std::int16_t>(from, "a 16-bit integer");
}

void read_field(const field& from, std::int32_t& out)
{
    out = read_integer<std::int32_t>(from, "a 32-bit integer");
}

void read_field(const field& from, std::int64_t& out)
{
    out = read_integer<std::int64_t>(from, "a 64-bit integer");
}

void read_field(const field& from, double& out)
{
    if (from.type == type::float4 && from.data.size() == 4) {
        out = static_cast<double>(std::bit_cast<float>(wire::get<std::int32_t>(from.data.data())));
    }
    else if (from.type == type::numeric && !from.null) {
        const std::string digits = detail::numeric_text(from.data);
        if (digits.ends_with("Infinity"))
            out = std::numeric_limits<double>::infinity() * (digits[0] == '-' ? -1 : 1);
        else if (digits == "NaN")
            out = std::numeric_limits<double>::quiet_NaN();
        else
            expect(from,
                   std::from_chars(digits.data(), digits.data() + digits.size(), out).ec ==
                       std::errc{},
                   "a double");
    }
    else {
        expect(from, from.type == type::float8 && from.data.size() == 8, "a double");
        out = std::bit_cast<double>(wire::get<std::int64_t>(from.data.data()));
    }
}

void read_field(const field& from, std::string& out)
{
    const bool versioned = from.type == type::jsonb && !from.data.empty();
    if (from.type == type::numeric && !from.null) {
        out = detail::numeric_text(from.data);
        return;
    }
    expect(from, versioned || is_text(from.type), "text");
    const std::string_view text = versioned ? from.data.substr(1) : from.data;
    // To make a new one is quicker than to let one grow.
    if (text.size() > out.capacity())
        out = std::string(text);
    else
        out.assign(text);
}

void read_field(const field& from, uuid& out)
{
    expect(from, from.type == type::uuid && from.data.size() == out.size(), "a uuid");
    std::ranges::copy(from.data, out.begin());
}

void read_field(const field& from, timestamp& out)
{
    expect(from, from.type == type::timestamptz && from.data.size() == 8, "a timestamptz");
    const auto count = wire::get<std::int64_t>(from.data.data());
    if (count == std::numeric_limits<std::int64_t>::max())
        out = timestamp::max();
    else if (count == std::numeric_limits<std::int64_t>::min())
        out = timestamp::min();
    else {
        // The last thirty years Postgres knows are beyond what counts from 1970 reach.
        std::int64_t since = 0;
        expect(
            from,
            !__builtin_add_overflow(count, detail::wire_epoch.time_since_epoch().count(), &since),
            "a timestamptz before the year 294247");
        out = timestamp(std::chrono::microseconds(since));
    }
}

void read_field(const field& from, std::chrono::microseconds& out)
{
    expect(from, from.type == type::interval && from.data.size() == 16, "a duration");
    // Months have no fixed length.
    expect(from, wire::get<std::int32_t>(from.data.data() + 12) == 0, "a duration without months");
    constexpr std::int64_t day = std::chrono::microseconds(std::chrono::days(1)).count();
    std::int64_t days = 0;
    std::int64_t sum = 0;
    const bool fits =
        !__builtin_mul_overflow(wire::get<std::int32_t>(from.data.data() + 8), day, &days) &&
        !__builtin_add_overflow(wire::get<std::int64_t>(from.data.data()), days, &sum);
    expect(from, fits, "a duration of less than 292,000 years");
    out = std::chrono::microseconds(sum);
}

void read_field(const field& from, bytes& out)
{
    expect(from, from.type == type::bytea, "bytes");
    const auto* begin = reinterpret_cast<const std::byte*>(from.data.data());
    out.assign(begin, begin + from.data.size());
}

void read_field(const field& from, tid& out)
{
    expect(from, from.type == type::tid && from.data.size() == 6, "a tid");
    out = {.block = wire::get<std::uint32_t>(from.data.data()),
           .offset = wire::get<std::uint16_t>(from.data.data() + 4)};
}

namespace detail {

std::vector<field> array_elements(const field& from)
{
    std::vector<field> elements;
    const char* at = from.data.data();
    const char* const end = at + from.data.size();
    const auto next = [&]() -> std::int32_t {
        if (end - at < 4)
            from.refuse("an array");
        const auto value = wire::get<std::int32_t>(at);
        at += 4;
        return value;
    };

    const bool named = type_name(from.type) != std::to_string(from.type);
    expect(from, !named, "an array"); // None of those we know by name is one.
    const auto dimensions = next();
    next(); // Whether there are NULLs.
    const auto type = static_cast<oid>(next());
    if (dimensions == 0)
        return elements;
    expect(from, dimensions == 1, "an array of one dimension");
    const auto count = next();
    next(); // The first index.
    for (std::int32_t i = 0; i < count; ++i) {
        const auto length = next();
        if (length > end - at)
            from.refuse("an array");
        const auto size = static_cast<std::size_t>(std::max(length, 0));
        elements.push_back({.statement = from.statement,
                            .column = from.column,
                            .type = type,
                            .null = length < 0,
                            .data = {at, size}});
        at += size;
    }
    return elements;
}

}

}
