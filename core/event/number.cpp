#include <cuebox/event/number.hpp>

#include <charconv>
#include <cmath>
#include <type_traits>

namespace cuebox::event::detail {

namespace {

bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

const char* skip_digits(const char* at, const char* end)
{
    while (at != end && is_digit(*at))
        ++at;
    return at;
}

template <class Number>
std::optional<Number> parsed(std::string_view text)
{
    Number number{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failed != std::errc{} || end != text.data() + text.size())
        return std::nullopt;
    return number;
}

// For messages: nobody reads a number of a thousand digits.
std::string shortened(std::string_view text)
{
    constexpr std::size_t readable = 40;
    return text.size() <= readable ? std::string{text} : std::string{text, 0, readable} + "...";
}

// A whole number with a fraction or an exponent, such as 5.0 or 1e3. Beyond 2^53 a double no longer
// tells neighbouring integers apart.
template <class Integer>
std::optional<Integer> whole(std::string_view text)
{
    const auto real = parsed<double>(text);
    const bool exact = real && std::trunc(*real) == *real && std::abs(*real) <= 9007199254740992.0;
    if (!exact || (*real < 0 && std::is_unsigned_v<Integer>))
        return std::nullopt;
    return static_cast<Integer>(*real);
}

bool has_only_digits(std::string_view text)
{
    return text.find_first_of(".eE") == std::string_view::npos;
}

// A fraction of something other than zeros is no integer; all else is one, perhaps too large.
bool is_fractional(std::string_view text)
{
    const auto real = parsed<double>(text);
    return !has_only_digits(text) && real && std::trunc(*real) != *real;
}

template <class Integer>
std::optional<Integer> integer_between(std::string_view text, Integer min, Integer max)
{
    const auto number = has_only_digits(text) ? parsed<Integer>(text) : whole<Integer>(text);
    return number && *number >= min && *number <= max ? number : std::nullopt;
}

}

const char* number_end(const char* at, const char* end)
{
    if (at != end && *at == '-')
        ++at;
    if (at == end || !is_digit(*at))
        return nullptr;
    at = *at == '0' ? at + 1 : skip_digits(at, end);
    if (at != end && *at == '.') {
        const auto* fraction = ++at;
        at = skip_digits(at, end);
        if (at == fraction)
            return nullptr;
    }
    if (at != end && (*at == 'e' || *at == 'E')) {
        ++at;
        if (at != end && (*at == '+' || *at == '-'))
            ++at;
        const auto* exponent = at;
        at = skip_digits(at, end);
        if (at == exponent)
            return nullptr;
    }
    return at;
}

std::optional<double> to_double(std::string_view number)
{
    return parsed<double>(number);
}

std::optional<std::int64_t> to_signed(std::string_view number, std::int64_t min, std::int64_t max)
{
    return integer_between(number, min, max);
}

std::optional<std::uint64_t> to_unsigned(std::string_view number, std::uint64_t max)
{
    return integer_between<std::uint64_t>(number == "-0" ? "0" : number, 0, max);
}

std::string why_no_double(std::string_view number)
{
    return shortened(number) + " is out of the range of a double";
}

std::string why_no_integer(std::string_view number, const std::string& min, const std::string& max)
{
    if (is_fractional(number))
        return "expected integer, got " + shortened(number);
    return shortened(number) + " is out of range: expected " + min + " to " + max;
}

}
