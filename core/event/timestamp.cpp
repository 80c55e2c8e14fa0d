#include <cuebox/event/timestamp.hpp>

#include <algorithm>

namespace cuebox::event {

namespace {

using namespace std::chrono;
using namespace std::string_view_literals;

constexpr timestamp first = sys_days{year{1} / 1 / 1};
constexpr timestamp after_last = sys_days{year{10000} / 1 / 1};

void put(char* at, unsigned value, int digits)
{
    for (int i = digits - 1; i >= 0; --i, value /= 10)
        at[i] = static_cast<char>('0' + value % 10);
}

// Takes what it reads off the front. Once something was not there, all further answers are wrong
// too, so one look at the end is enough.
class scanner
{
public:
    explicit scanner(std::string_view text) : text_{text} {}

    bool good() const { return good_; }
    bool done() const { return good_ && text_.empty(); }

    // One of these letters, which comes back.
    char letter(std::string_view any)
    {
        if (text_.empty() || any.find(text_.front()) == std::string_view::npos) {
            good_ = false;
            return '\0';
        }
        return take();
    }

    unsigned number(int digits, unsigned max)
    {
        unsigned value = 0;
        for (int i = 0; i < digits && good_; ++i)
            value = value * 10 + static_cast<unsigned>(letter("0123456789") - '0');
        good_ = good_ && value <= max;
        return value;
    }

    // ".25" as 250000; nothing at all as 0.
    microseconds fraction()
    {
        if (!text_.starts_with('.'))
            return {};
        take();
        unsigned micros = number(1, 9) * 100'000;
        for (unsigned digits = 1, unit = 10'000; digits < 9 && is_digit(); ++digits, unit /= 10)
            micros += static_cast<unsigned>(take() - '0') * unit;
        return microseconds{micros};
    }

private:
    bool is_digit() const { return !text_.empty() && text_[0] >= '0' && text_[0] <= '9'; }
    char take()
    {
        const char letter = text_.front();
        text_.remove_prefix(1);
        return letter;
    }

    std::string_view text_;
    bool good_ = true;
};

minutes offset(scanner& text)
{
    const char sign = text.letter("Zz+-");
    if (sign != '+' && sign != '-')
        return {};
    const hours whole{text.number(2, 23)};
    text.letter(":");
    const minutes east = whole + minutes{text.number(2, 59)};
    return sign == '+' ? east : -east;
}

}

timestamp now()
{
    return floor<microseconds>(system_clock::now());
}

bool has_text(timestamp time)
{
    return time >= first && time < after_last;
}

bool print_timestamp(timestamp time, std::span<char, 27> out)
{
    if (!has_text(time))
        return false;
    const auto day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss clock{time - day};

    std::ranges::copy("0000-00-00T00:00:00.000000Z"sv, out.begin());
    put(&out[0], static_cast<unsigned>(static_cast<int>(date.year())), 4);
    put(&out[5], static_cast<unsigned>(date.month()), 2);
    put(&out[8], static_cast<unsigned>(date.day()), 2);
    put(&out[11], static_cast<unsigned>(clock.hours().count()), 2);
    put(&out[14], static_cast<unsigned>(clock.minutes().count()), 2);
    put(&out[17], static_cast<unsigned>(clock.seconds().count()), 2);
    put(&out[20], static_cast<unsigned>(clock.subseconds().count()), 6);
    return true;
}

std::optional<std::string> print_timestamp(timestamp time)
{
    char text[27];
    if (!print_timestamp(time, text))
        return std::nullopt;
    return std::string{text, sizeof text};
}

std::optional<timestamp> parse_timestamp(std::string_view rfc3339)
{
    scanner text{rfc3339};
    const year y{static_cast<int>(text.number(4, 9999))};
    text.letter("-");
    const month m{text.number(2, 12)};
    text.letter("-");
    const day d{text.number(2, 31)};
    text.letter("Tt");
    const hours hour{text.number(2, 23)};
    text.letter(":");
    const minutes minute{text.number(2, 59)};
    text.letter(":");
    const seconds second{text.number(2, 59)};
    const auto fraction = text.fraction();
    const auto east = offset(text);

    const auto date = y / m / d;
    if (!text.done() || !date.ok())
        return std::nullopt;
    const timestamp time = sys_days{date} + hour + minute + second + fraction - east;
    return has_text(time) ? std::optional{time} : std::nullopt;
}

}
