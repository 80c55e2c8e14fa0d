#pragma once

#include "printable.hpp"

#include <cstddef>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

// What commands that draw on a terminal share.
namespace cuebox::cli {

// Whether stdout is a terminal that can be drawn on.
bool draws();
bool speaks_unicode();
// Where a terminal is drawn on and NO_COLOR is not set.
bool wants_colours();

struct terminal_size
{
    std::size_t rows = 24;
    std::size_t columns = 80;
};
// Of stdout; COLUMNS and LINES where it is none, else 80 by 24.
terminal_size size_of_terminal();
// What a line of a list may take: none where stdout is no terminal, since a program that reads it
// wants all of it.
std::optional<std::size_t> columns_for_lists();

// As printf has it.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);
// In a colour of the terminal, by its number: "31" is red, "1" is bold.
std::string paint(const char* colour, std::string_view text);

// Each value as a letter of its height, relative to the highest one, which counts as at least
// `most_min`; the last `width` of them, with blanks up to it.
std::string spark(const std::deque<std::size_t>& history, std::size_t width, bool unicode,
                  std::size_t most_min = 8);

// How many columns it takes: colours take none, wide letters two.
std::size_t columns_of(std::string_view text);
// Cut to so many columns, with a mark where something is missing.
std::string fit(std::string_view text, std::size_t columns);

// Takes the whole screen, and gives it back as it was. Lines typed are not echoed, and each key
// arrives at once; Ctrl-C is a signal as ever.
class full_screen
{
public:
    full_screen();
    ~full_screen();
    full_screen(const full_screen&) = delete;
    full_screen& operator=(const full_screen&) = delete;

    void show(std::string_view frame) const;

    // For a process that stops for a while: gives the screen back, and takes it again.
    void leave() const;
    void enter() const;

private:
    struct modes;
    std::unique_ptr<modes> before_;
};

}
