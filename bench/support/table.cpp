#include "table.hpp"

#include <cmath>
#include <cstdio>
#include <ostream>
#include <sstream>

namespace bench {
namespace {

constexpr std::size_t width = 100;

template <class... Values>
std::string format(const char* pattern, Values... values)
{
    char text[256];
    std::snprintf(text, sizeof text, pattern, values...);
    return text;
}

std::string lead_text(const result& row, const results& all, std::string_view home)
{
    if (row.measured.system == home)
        return "";
    const auto lead = ratio(all, row.measured.workload, home, row.measured.system);
    return lead ? format("%.2fx", *lead) : "?";
}

// Continuation lines are indented to the column the text started in.
void print_wrapped(std::ostream& out, const std::string& label, const std::string& text)
{
    std::istringstream words{text};
    std::string line = label;
    for (std::string word; words >> word;) {
        if (line.size() + 1 + word.size() > width) {
            out << line << '\n';
            line.assign(label.size(), ' ');
        }
        line += ' ' + word;
    }
    out << line << '\n';
}

void print_notes(std::ostream& out, const results& all)
{
    out << "\nnotes\n";
    for (const auto& row : all)
        if (!row.measured.note.empty())
            print_wrapped(
                out,
                format("  %-12s%-14s", row.measured.workload.c_str(), row.measured.system.c_str()),
                row.measured.note);
}

}

void print_table(std::ostream& out, const suite& suite, const results& all, std::string_view home)
{
    constexpr auto* header_row = "%-12s  %-14s  %11s  %19s  %10s  %11s  %9s\n";
    constexpr auto* value_row = "%-12s  %-14s  %11.3f  %8.3f - %8.3f  %10.1f  %11s  %9s\n";

    if (const auto surroundings = suite.surroundings(); !surroundings.empty())
        out << surroundings << "\n\n";
    out << format(header_row, "workload", "system", suite.rates().name.c_str(), "min - max",
                  "ns/msg", "allocs/msg", (std::string{home} + " is").c_str());
    out << std::string(width, '-') << '\n';
    std::string workload;
    for (const auto& row : all) {
        const bool first = row.measured.workload != workload;
        if (first && !workload.empty())
            out << '\n';
        workload = row.measured.workload;
        const auto rate = row.million_per_second();
        const auto scale = 1e6 / suite.rates().per_second;
        const auto allocations = row.allocations_per_message().median;
        out << format(value_row, first ? workload.c_str() : "", row.measured.system.c_str(),
                      rate.median * scale, rate.min * scale, rate.max * scale,
                      row.nanoseconds_per_message().median,
                      std::isnan(allocations) ? "" : format("%.3f", allocations).c_str(),
                      lead_text(row, all, home).c_str());
    }
    print_notes(out, all);
}

void print_goals(std::ostream& out, const std::vector<goal>& goals)
{
    out << "\ngoals\n";
    for (const auto& each : goals)
        print_wrapped(out, format("  %-12s  %-44s", name_of(each.reached), each.text.c_str()),
                      each.figure);
}

}
