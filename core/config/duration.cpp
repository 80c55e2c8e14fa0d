#include <cuebox/config/duration.hpp>

#include <cstdint>
#include <limits>
#include <utility>

namespace cuebox::config {

namespace {

// Longest first, so that printing picks the largest unit that leaves no remainder.
constexpr std::pair<std::string_view, std::int64_t> units[] = {
    {"d", 86'400'000'000'000},
    {"h", 3'600'000'000'000},
    {"m", 60'000'000'000},
    {"s", 1'000'000'000},
    {"ms", 1'000'000},
    {"us", 1'000},
    {"ns", 1},
};

bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

std::string_view take_digits(std::string_view& text)
{
    std::size_t count = 0;
    while (count < text.size() && is_digit(text[count]))
        ++count;
    const auto digits = text.substr(0, count);
    text.remove_prefix(count);
    return digits;
}

// total += digit * step, unless the sum does not fit.
bool add(std::int64_t& total, std::int64_t digit, std::int64_t step)
{
    constexpr auto max = std::numeric_limits<std::int64_t>::max();
    if (digit != 0 && step > (max - total) / digit)
        return false;
    total += digit * step;
    return true;
}

// Integers only: a double would turn "0.1s" into something near a tenth of a second.
std::optional<std::int64_t> count(std::string_view whole, std::string_view fraction,
                                  std::int64_t unit)
{
    std::int64_t total = 0;
    for (const char letter : whole) {
        std::int64_t shifted = letter - '0';
        if (!add(shifted, 10, total))
            return std::nullopt;
        total = shifted;
    }
    std::int64_t nanoseconds = 0;
    if (!add(nanoseconds, total, unit))
        return std::nullopt;
    for (const char letter : fraction) {
        const bool finer_than_a_nanosecond = unit % 10 != 0;
        if (letter != '0' && finer_than_a_nanosecond)
            return std::nullopt;
        unit /= 10;
        if (!add(nanoseconds, letter - '0', unit))
            return std::nullopt;
    }
    return nanoseconds;
}

}

std::optional<std::chrono::nanoseconds> parse_duration(std::string_view text)
{
    const auto whole = take_digits(text);
    std::string_view fraction;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        fraction = take_digits(text);
        if (fraction.empty())
            return std::nullopt;
    }
    if (whole.empty())
        return std::nullopt;

    for (const auto& [name, unit] : units)
        if (text == name)
            if (const auto total = count(whole, fraction, unit))
                return std::chrono::nanoseconds{*total};
    return std::nullopt;
}

std::string print_duration(std::chrono::nanoseconds duration)
{
    if (duration.count() == 0)
        return "0s";
    for (const auto& [name, unit] : units)
        if (duration.count() % unit == 0)
            return std::to_string(duration.count() / unit).append(name);
    return {}; // Not reached: every count is a whole number of nanoseconds.
}

}
