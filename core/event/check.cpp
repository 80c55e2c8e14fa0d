#include <cuebox/event/check.hpp>
#include <cuebox/event/error.hpp>
#include <cuebox/event/reader.hpp>

#include <algorithm>
#include <charconv>
#include <forward_list>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace cuebox::event {

namespace {

// jsonb keeps numbers as numeric, which has this many digits before and after the decimal point,
// and reads exponents up to this one.
constexpr std::int64_t digits_before_point_max = 131072;
constexpr std::int64_t digits_after_point_max = 16383;
constexpr std::int64_t exponent_max = std::numeric_limits<std::int32_t>::max() / 2 - 1;

// Too large for numeric when it does not even fit here.
std::int64_t exponent_of(std::string_view text)
{
    if (text.starts_with('+'))
        text.remove_prefix(1);
    std::int64_t exponent = exponent_max + 1;
    std::from_chars(text.data(), text.data() + text.size(), exponent);
    return exponent;
}

// How many digits Postgres writes for the number, which it does without exponents; none when it
// cannot hold the number.
std::optional<std::size_t> digits_as_numeric(std::string_view number)
{
    if (number.starts_with('-'))
        number.remove_prefix(1);
    const auto e = std::min(number.find_first_of("eE"), number.size());
    const auto exponent = e < number.size() ? exponent_of(number.substr(e + 1)) : 0;
    if (exponent > exponent_max || exponent < -exponent_max)
        return std::nullopt;

    const auto mantissa = number.substr(0, e);
    const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
    const auto size = static_cast<std::int64_t>(mantissa.size());
    const auto after_point = std::max<std::int64_t>(size - point - 1, 0) - exponent;
    const auto zeros = std::min(mantissa.find_first_not_of("0."), mantissa.size());
    const auto first = static_cast<std::int64_t>(zeros);
    // Of the first digit that is not zero; zero itself has no such digit, however it is written.
    const auto before_point =
        first == size ? 0 : point - first + (first > point ? 1 : 0) + exponent;
    if (before_point > digits_before_point_max || after_point > digits_after_point_max)
        return std::nullopt;
    return static_cast<std::size_t>(std::max<std::int64_t>(before_point, 1) +
                                    std::max<std::int64_t>(after_point, 0));
}

// One stack of keys for all open objects. Keys are seen while an object is read and compared when
// it ends, so that many keys cost a sort and not every pair. They are looked at where they are, but
// for those with escapes, which the reader keeps only until the next one.
class checker
{
public:
    explicit checker(std::string_view json, std::size_t depth_limit)
        : json_{json},
          in_{json, depth_limit}
    {
        keys_.reserve(16); // More than most payloads have.
    }

    json_kind kind() { return in_.peek(); }

    void run()
    {
        value();
        in_.end();
    }

private:
    void value()
    {
        switch (in_.peek()) {
        case json_kind::object:
            return object();
        case json_kind::array:
            in_.begin_array();
            while (in_.next_element())
                value();
            return;
        case json_kind::number:
            return number();
        default:
            in_.skip();
        }
    }

    void number()
    {
        const auto text = in_.number_text();
        const auto digits = digits_as_numeric(text);
        if (!digits)
            in_.refuse("the number is out of the range of a Postgres numeric");
        // 1e9999 is six letters here and ten thousand for everyone who reads the row.
        digits_more_ += *digits - std::min(*digits, text.size());
        if (digits_more_ > payload_max)
            in_.refuse("here the numbers, as Postgres writes them, grow past " +
                       std::to_string(payload_max) + " bytes: write them shorter");
    }

    void object()
    {
        const auto outer = keys_.size();
        in_.begin_object();
        while (in_.next_key()) {
            keys_.push_back(lasting(in_.key()));
            value();
        }
        std::sort(keys_.begin() + static_cast<std::ptrdiff_t>(outer), keys_.end());
        const auto twice =
            std::adjacent_find(keys_.begin() + static_cast<std::ptrdiff_t>(outer), keys_.end());
        if (twice != keys_.end())
            in_.refuse_member(*twice, "the key is there twice");
        keys_.resize(outer);
    }

    std::string_view lasting(std::string_view key)
    {
        const std::less<> before;
        const bool in_place =
            !before(key.data(), json_.data()) && before(key.data(), json_.data() + json_.size());
        return in_place ? key : std::string_view{unescaped_.emplace_front(key)};
    }

    std::string_view json_;
    reader in_;
    std::vector<std::string_view> keys_;
    std::forward_list<std::string> unescaped_;
    std::size_t digits_more_ = 0;
};

}

void check_payload(std::string_view json)
{
    if (json.size() > payload_max)
        throw payload_error{"", "the payload has " + std::to_string(json.size()) +
                                    " bytes, more than " + std::to_string(payload_max) +
                                    ": keep large data elsewhere and publish where it is"};
    checker check{json, depth_max};
    if (check.kind() != json_kind::object)
        throw payload_error{
            "", std::string{"a payload is an object, got "}.append(to_string(check.kind()))};
    check.run();
}

void check_json(std::string_view json, std::size_t depth_limit)
{
    checker{json, depth_limit}.run();
}

}
