#pragma once

#include <cuebox/event/timestamp.hpp>

#include <optional>
#include <string>
#include <vector>

namespace cuebox::cli {

// Columns that line up. On a terminal the widest of those that may be cut are, until a row fits;
// elsewhere nothing is.
class table
{
public:
    // By its head. One with a `least` may be cut down to that many columns of the terminal; one
    // without is never cut, as an id that people copy.
    struct column
    {
        // NOLINTNEXTLINE(google-explicit-constructor): a table's head is mostly a list of names.
        column(const char* name, std::size_t least = 0) : head(name), least(least) {}

        std::string head;
        std::size_t least;
    };

    explicit table(std::vector<column> columns);

    void add(std::vector<std::string> row);
    void print() const;

    // Whether a row would fit, with all that may be cut being cut.
    bool fits(std::optional<std::size_t> columns) const;
    // What is printed, for a terminal of so many columns, or for none.
    std::vector<std::string> lines(std::optional<std::size_t> columns) const;

private:
    std::vector<std::size_t> natural_widths() const;
    std::vector<std::size_t> widths_within(std::optional<std::size_t> columns) const;

    std::vector<column> columns_;
    std::vector<std::vector<std::string>> rows_;
};

// 2026-11-16 03:44:05Z; a dash when there is none.
std::string print_time(std::optional<event::timestamp> time);

}
