#include "terminal.hpp"

#include "letter_width.hpp"

#include <cuebox/event/utf8.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace cuebox::cli {

namespace {

bool is_set(const char* variable)
{
    const char* value = std::getenv(variable);
    return value && *value;
}

std::size_t number_in(const char* variable, std::size_t otherwise)
{
    const char* value = std::getenv(variable);
    std::size_t number = 0;
    if (!value ||
        std::from_chars(value, value + std::string_view(value).size(), number).ec != std::errc{})
        return otherwise;
    return number > 0 ? number : otherwise;
}

// How many bytes of a colour there are at the front.
std::size_t colour_at_front(std::string_view text)
{
    if (!text.starts_with("\033["))
        return 0;
    const std::size_t end = text.find('m');
    return end == text.npos ? 0 : end + 1;
}

// One letter, or one byte that is none.
struct letter
{
    std::string_view bytes;
    std::size_t columns = 1;
};

letter letter_at_front(std::string_view text)
{
    const std::size_t length = event::utf8_length(text.data(), text.data() + text.size());
    if (length <= 1)
        return {.bytes = text.substr(0, 1)};
    const std::string_view bytes = text.substr(0, length);
    return {.bytes = bytes, .columns = letter_width(event::utf8_code_point(bytes))};
}

}

bool draws()
{
    const char* terminal = std::getenv("TERM");
    return isatty(STDOUT_FILENO) != 0 && terminal && std::string_view(terminal) != "dumb";
}

bool speaks_unicode()
{
    for (const char* variable : {"LC_ALL", "LC_CTYPE", "LANG"})
        if (const char* value = std::getenv(variable); value && *value) {
            const std::string_view locale{value};
            return locale.find("UTF-8") != locale.npos || locale.find("utf8") != locale.npos;
        }
    return false;
}

bool wants_colours()
{
    return draws() && !is_set("NO_COLOR");
}

terminal_size size_of_terminal()
{
    winsize size{};
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0)
        return {.rows = size.ws_row, .columns = size.ws_col};
    return {.rows = number_in("LINES", 24), .columns = number_in("COLUMNS", 80)};
}

std::optional<std::size_t> columns_for_lists()
{
    if (isatty(STDOUT_FILENO) == 0)
        return std::nullopt;
    return size_of_terminal().columns;
}

std::string format(const char* pattern, ...)
{
    va_list values;
    va_list again;
    va_start(values, pattern);
    va_copy(again, values);
    std::string text(static_cast<std::size_t>(std::vsnprintf(nullptr, 0, pattern, values)), '\0');
    std::vsnprintf(text.data(), text.size() + 1, pattern, again);
    va_end(again);
    va_end(values);
    return text;
}

std::string paint(const char* colour, std::string_view text)
{
    return "\033[" + std::string(colour) + "m" + std::string(text) + "\033[0m";
}

std::string spark(const std::deque<std::size_t>& history, std::size_t width, bool unicode,
                  std::size_t most_min)
{
    static constexpr std::array<std::string_view, 9> blocks{" ", "▁", "▂", "▃", "▄",
                                                            "▅", "▆", "▇", "█"};
    static constexpr std::array<std::string_view, 9> letters{" ", ".", ".", ":", ":",
                                                             "-", "=", "*", "#"};
    const auto& heights = unicode ? blocks : letters;
    const std::size_t shown = std::min(history.size(), width);
    const auto from = history.end() - static_cast<std::ptrdiff_t>(shown);
    const std::size_t most =
        shown == 0 ? 1 : std::max(most_min, *std::max_element(from, history.end()));
    std::string text;
    for (auto each = from; each != history.end(); ++each)
        text += heights[std::min<std::size_t>((*each * 8 + most - 1) / most, 8)];
    return text + std::string(width - shown, ' ');
}

std::size_t columns_of(std::string_view text)
{
    std::size_t columns = 0;
    while (!text.empty()) {
        if (const std::size_t colour = colour_at_front(text); colour > 0) {
            text.remove_prefix(colour);
            continue;
        }
        const letter next = letter_at_front(text);
        columns += next.columns;
        text.remove_prefix(next.bytes.size());
    }
    return columns;
}

std::string fit(std::string_view text, std::size_t columns)
{
    // No text is longer than its bytes.
    if (text.size() <= columns || columns_of(text) <= columns)
        return std::string(text);
    if (columns == 0)
        return {};
    std::string cut;
    std::size_t left = columns - 1; // The mark takes one.
    while (!text.empty()) {
        std::size_t taken = colour_at_front(text);
        if (taken == 0) {
            const letter next = letter_at_front(text);
            if (next.columns > left)
                break;
            left -= next.columns;
            taken = next.bytes.size();
        }
        cut += text.substr(0, taken);
        text.remove_prefix(taken);
    }
    const bool coloured = cut.find('\033') != cut.npos;
    return cut + (speaks_unicode() ? "…" : "~") + (coloured ? "\033[0m" : "");
}

struct full_screen::modes
{
    termios input;
};

full_screen::full_screen()
{
    modes found{};
    if (isatty(STDIN_FILENO) != 0 && tcgetattr(STDIN_FILENO, &found.input) == 0)
        before_ = std::make_unique<modes>(found);
    enter();
}

full_screen::~full_screen()
{
    leave();
}

void full_screen::enter() const
{
    if (before_) {
        termios quiet = before_->input;
        quiet.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        tcsetattr(STDIN_FILENO, TCSANOW, &quiet);
    }
    show("\033[?1049h\033[?25l\033[?7l");
}

void full_screen::leave() const
{
    show("\033[?7h\033[?25h\033[?1049l");
    if (before_)
        tcsetattr(STDIN_FILENO, TCSANOW, &before_->input);
}

void full_screen::show(std::string_view frame) const
{
    std::fwrite(frame.data(), 1, frame.size(), stdout);
    std::fflush(stdout);
}

}
