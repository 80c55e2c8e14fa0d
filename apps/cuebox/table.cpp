#include "table.hpp"

#include "terminal.hpp"

#include <algorithm>
#include <iostream>

namespace cuebox::cli {

table::table(std::vector<std::string> head)
{
    rows_.push_back(std::move(head));
}

void table::add(std::vector<std::string> row)
{
    rows_.push_back(std::move(row));
}

void table::print() const
{
    std::vector<std::size_t> widths(rows_.front().size());
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columns_of(row[i]));
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            line += row[i];
            if (i + 1 < row.size())
                line.append(widths[i] - columns_of(row[i]) + 2, ' ');
        }
        std::cout << line << '\n';
    }
}

std::string print_time(std::optional<event::timestamp> time)
{
    const auto text = time ? event::print_timestamp(*time) : std::nullopt;
    if (!text)
        return "-";
    std::string shown = text->substr(0, 19) + "Z";
    shown[10] = ' ';
    return shown;
}

}
