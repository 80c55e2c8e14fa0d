#pragma once

#include <cuebox/operations/status.hpp>

#include <string>
#include <vector>

// A status in words and tables, for people: plain lines, cut to the width that there is.
namespace cuebox::cli {

struct report_style
{
    std::size_t columns = 80;
    bool colours = false;
};

using report_lines = std::vector<std::string>;

// The figures that matter most, a line each.
report_lines report_summary(const operations::status& seen, const report_style& style);
// Whole sentences, over as many lines as they take; none without a warning.
report_lines report_warnings(const operations::status& seen, const report_style& style);
// Tables with a heading, none when there is nothing in them; the largest groups first, at most so
// many, and how many were left out.
report_lines report_backlog(const operations::status& seen, const report_style& style,
                            std::size_t rows_max);
report_lines report_workers(const operations::status& seen, const report_style& style,
                            std::size_t rows_max);
report_lines report_dead_letters(const operations::status& seen, const report_style& style,
                                 std::size_t rows_max);
report_lines report_generations(const operations::status& seen, const report_style& style,
                                std::size_t rows_max);
report_lines report_storage(const operations::status& seen, const report_style& style);

// All of it, with a line between its parts.
report_lines report_status(const operations::status& seen, const report_style& style);

// "2026-11-16 03:44:05Z"
std::string print_time(pg::timestamp at);
// 1234 as "1,234/s", 0.4 as "0.4/s".
std::string print_rate(double per_second);

}
