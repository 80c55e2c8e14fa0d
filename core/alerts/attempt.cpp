#include <cuebox/alerts/attempt.hpp>

#include <algorithm>
#include <charconv>

namespace cuebox::alerts {

namespace {

// A receiver that is busy, slow or down will do better later; one that says no means it.
bool is_worth_another(const attempt& last)
{
    if (!last.status)
        return true;
    const unsigned status = *last.status;
    return status >= 500 || status == 408 || status == 425 || status == 429;
}

std::optional<int> read_number(std::string_view text)
{
    int number = 0;
    const char* end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    if (text.empty() || read.ec != std::errc{} || read.ptr != end || number < 0)
        return std::nullopt;
    return number;
}

// "Sun, 06 Nov 1994 08:49:37 GMT", the one form that is still written.
std::optional<event::timestamp> parse_http_date(std::string_view text)
{
    static constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (text.size() != 29 || !text.ends_with(" GMT"))
        return std::nullopt;
    const auto month = months.find(text.substr(8, 3));
    if (month == std::string_view::npos || month % 3 != 0)
        return std::nullopt;
    std::string number = std::to_string(month / 3 + 1);
    number.insert(0, 2 - number.size(), '0');
    // From here on it is a date as others write it, which is checked there.
    std::string other;
    other.append(text.substr(12, 4)).append("-").append(number).append("-");
    other.append(text.substr(5, 2)).append("T").append(text.substr(17, 8)).append("Z");
    return event::parse_timestamp(other);
}

}

std::string attempt::describe() const
{
    return status ? "answered " + std::to_string(*status) : failure;
}

std::string_view to_string(drop_reason reason) noexcept
{
    switch (reason) {
    case drop_reason::full:
        return "full";
    case drop_reason::refused:
        return "refused";
    case drop_reason::exhausted:
        return "exhausted";
    case drop_reason::stopped:
        return "stopped";
    }
    return "unknown";
}

next_step decide(const attempt& last, int made, const delivery_rules& rules, double jitter)
{
    if (last.status && *last.status >= 200 && *last.status < 300)
        return delivered{};
    if (!is_worth_another(last))
        return give_up{drop_reason::refused};
    if (made >= rules.attempts_max)
        return give_up{drop_reason::exhausted};
    const duration own =
        rules.backoff.delay(static_cast<std::size_t>(std::max(0, made - 1)), jitter);
    if (!last.retry_after)
        return retry_in{own};
    return retry_in{std::max(own, std::min(*last.retry_after, rules.retry_after_max))};
}

std::optional<duration> parse_retry_after(std::string_view text, event::timestamp now)
{
    if (const auto seconds = read_number(text))
        return std::chrono::seconds(*seconds);
    if (const auto date = parse_http_date(text)) {
        // Far dates do not fit into nanoseconds.
        const auto limit = std::chrono::hours(24 * 365);
        return std::clamp<std::chrono::microseconds>(*date - now, std::chrono::microseconds(0),
                                                     limit);
    }
    return std::nullopt;
}

}
