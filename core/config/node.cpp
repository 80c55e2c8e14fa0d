#include "document.ipp"

#include <cuebox/config/duration.hpp>
#include <cuebox/config/error.hpp>
#include <cuebox/config/node.hpp>

#include <tao/json/to_string.hpp>

#include <cmath>
#include <utility>

namespace cuebox::config {

namespace {

using tao::json::value;

const value& at(const void* place)
{
    return *static_cast<const value*>(place);
}

// As JSON pointers have it, so that a path names one place even when keys hold slashes.
std::string join(const std::string& path, std::string_view key)
{
    std::string joined = path + '/';
    for (const char letter : key) {
        if (letter == '~')
            joined += "~0";
        else if (letter == '/')
            joined += "~1";
        else
            joined += letter;
    }
    return joined;
}

// Beyond 2^53 a double no longer tells neighbouring integers apart.
bool is_whole(double number)
{
    return std::trunc(number) == number && std::abs(number) <= 9007199254740992.0;
}

std::optional<std::int64_t> to_signed(const value& value)
{
    if (value.is_signed())
        return value.get_signed();
    if (value.is_unsigned() && std::in_range<std::int64_t>(value.get_unsigned()))
        return static_cast<std::int64_t>(value.get_unsigned());
    if (value.is_double() && is_whole(value.get_double()))
        return static_cast<std::int64_t>(value.get_double());
    return std::nullopt;
}

std::optional<std::uint64_t> to_unsigned(const value& value)
{
    if (value.is_unsigned())
        return value.get_unsigned();
    const auto number = to_signed(value);
    if (number && *number >= 0)
        return static_cast<std::uint64_t>(*number);
    return std::nullopt;
}

bool is_fraction(const value& value)
{
    return value.is_double() && std::trunc(value.get_double()) != value.get_double();
}

// Shared by all default nodes, which then cost no allocation.
const std::shared_ptr<const node::document>& nothing()
{
    static const auto document = std::make_shared<const node::document>();
    return document;
}

template <class Integer>
std::string out_of_range(const value& value, Integer min, Integer max)
{
    return tao::json::to_string(value) + " is out of range: expected " + std::to_string(min) +
           " to " + std::to_string(max);
}

}

std::string_view to_string(kind kind)
{
    constexpr std::string_view names[] = {"null",   "boolean", "integer", "number",
                                          "string", "array",   "object"};
    return names[static_cast<std::size_t>(kind)];
}

node::node() : node{nothing()} {}

node::node(std::shared_ptr<const document> document)
    : document_{std::move(document)},
      value_{&document_->root}
{}

node::node(std::shared_ptr<const document> document, const void* value, std::string path)
    : document_{std::move(document)},
      value_{value},
      path_{std::move(path)}
{}

kind node::kind() const
{
    switch (at(value_).type()) {
    case tao::json::type::BOOLEAN:
        return kind::boolean;
    case tao::json::type::SIGNED:
    case tao::json::type::UNSIGNED:
        return kind::integer;
    case tao::json::type::DOUBLE:
        return kind::number;
    case tao::json::type::STRING:
        return kind::string;
    case tao::json::type::ARRAY:
        return kind::array;
    case tao::json::type::OBJECT:
        return kind::object;
    default:
        return kind::null; // The parser produces no other type.
    }
}

bool node::as_bool() const
{
    expect(kind::boolean);
    return at(value_).get_boolean();
}

std::int64_t node::as_signed(std::int64_t min, std::int64_t max) const
{
    if (!at(value_).is_number() || is_fraction(at(value_)))
        refuse_kind("integer");
    const auto number = to_signed(at(value_));
    if (!number || *number < min || *number > max)
        refuse(out_of_range(at(value_), min, max));
    return *number;
}

std::uint64_t node::as_unsigned(std::uint64_t max) const
{
    if (!at(value_).is_number() || is_fraction(at(value_)))
        refuse_kind("integer");
    const auto number = to_unsigned(at(value_));
    if (!number || *number > max)
        refuse(out_of_range<std::uint64_t>(at(value_), 0, max));
    return *number;
}

double node::as_double(double max) const
{
    if (!at(value_).is_number())
        refuse_kind("number");
    const auto number = at(value_).as<double>();
    if (std::abs(number) > max)
        refuse(tao::json::to_string(at(value_)) + " is out of range");
    return number;
}

std::string node::as_string() const
{
    expect(kind::string);
    return at(value_).get_string();
}

std::chrono::nanoseconds node::as_duration() const
{
    constexpr std::string_view how = R"(write it like "250ms", "5s", "2m" or "45d")";
    if (at(value_).is_number())
        refuse(tao::json::to_string(at(value_)).append(" has no unit: ").append(how));
    if (kind() != kind::string)
        refuse_kind("a duration");
    const auto duration = parse_duration(at(value_).get_string());
    if (!duration)
        refuse(tao::json::to_string(at(value_)).append(" is not a duration: ").append(how));
    return *duration;
}

std::size_t node::size() const
{
    if (at(value_).is_array())
        return at(value_).get_array().size();
    if (at(value_).is_object())
        return at(value_).get_object().size();
    refuse_kind("array or object");
}

node node::element(std::size_t index) const
{
    expect(kind::array);
    const auto& elements = at(value_).get_array();
    if (index >= elements.size())
        refuse("has no element " + std::to_string(index));
    return {document_, &elements[index], join(path_, std::to_string(index))};
}

std::optional<node> node::find(std::string_view key) const
{
    expect(kind::object);
    const auto* const found = at(value_).find(key);
    if (found == nullptr)
        return std::nullopt;
    return node{document_, found, join(path_, key)};
}

std::vector<std::string> node::keys() const
{
    expect(kind::object);
    std::vector<std::string> keys;
    for (const auto& [key, member] : at(value_).get_object())
        keys.push_back(key);
    return keys;
}

void node::refuse(std::string_view why) const
{
    throw error{document_->source, path_, why};
}

void node::refuse(std::string_view key, std::string_view why) const
{
    throw error{document_->source, join(path_, key), why};
}

void node::expect(config::kind wanted) const
{
    if (kind() != wanted)
        refuse_kind(to_string(wanted));
}

void node::refuse_kind(std::string_view wanted) const
{
    refuse(std::string{"expected "}.append(wanted).append(", got ").append(to_string(kind())));
}

}
