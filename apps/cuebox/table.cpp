#include "table.hpp"

#include "terminal.hpp"

#include <algorithm>
#include <iostream>
#include <numeric>

namespace cuebox::cli {

namespace {

constexpr std::size_t gap = 2;

std::size_t line_width(const std::vector<std::size_t>& widths)
{
    return std::accumulate(widths.begin(), widths.end(), gap * (widths.size() - 1));
}

}

table::table(std::vector<column> columns) : columns_(std::move(columns))
{
    std::vector<std::string> heads;
    for (const column& each : columns_)
        heads.push_back(each.head);
    rows_.push_back(std::move(heads));
}

void table::add(std::vector<std::string> row)
{
    rows_.push_back(std::move(row));
}

std::vector<std::size_t> table::natural_widths() const
{
    std::vector<std::size_t> widths(columns_.size());
    for (const auto& row : rows_)
        for (std::size_t i = 0; i < row.size(); ++i)
            widths[i] = std::max(widths[i], columns_of(row[i]));
    return widths;
}

bool table::fits(std::optional<std::size_t> columns) const
{
    if (!columns)
        return true;
    auto widths = natural_widths();
    for (std::size_t i = 0; i < widths.size(); ++i)
        if (columns_[i].least > 0)
            widths[i] = std::min(widths[i], columns_[i].least);
    return line_width(widths) <= *columns;
}

std::vector<std::size_t> table::widths_within(std::optional<std::size_t> columns) const
{
    auto widths = natural_widths();
    if (!columns)
        return widths;
    for (std::size_t i = 0; i < widths.size(); ++i)
        if (columns_[i].least > 0)
            widths[i] = std::min(widths[i], std::max(*columns, columns_[i].least));
    while (line_width(widths) > *columns) {
        std::size_t* widest = nullptr;
        for (std::size_t i = 0; i < widths.size(); ++i)
            if (columns_[i].least > 0 && widths[i] > columns_[i].least &&
                (!widest || widths[i] >= *widest))
                widest = &widths[i];
        if (!widest)
            break;
        --*widest;
    }
    return widths;
}

std::vector<std::string> table::lines(std::optional<std::size_t> columns) const
{
    const auto widths = widths_within(columns);
    std::vector<std::string> lines;
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string cell = fit(row[i], widths[i]);
            line += cell;
            if (i + 1 < row.size())
                line.append(widths[i] - columns_of(cell) + gap, ' ');
        }
        lines.push_back(std::move(line));
    }
    return lines;
}

void table::print() const
{
    for (const std::string& each : lines(columns_for_lists()))
        std::cout << each << '\n';
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
