#include "status_report.hpp"

#include "progress.hpp"
#include "terminal.hpp"

#include <cuebox/event/timestamp.hpp>
#include <cuebox/operations/warnings.hpp>

#include <algorithm>
#include <cmath>
#include <tuple>

namespace cuebox::cli {

namespace {

constexpr std::size_t plain_rows = 12;
constexpr std::size_t table_width = 80;

std::string number(std::int64_t count)
{
    return with_commas(static_cast<std::size_t>(std::max<std::int64_t>(count, 0)));
}

std::string bytes(std::int64_t count)
{
    const char* unit = "kB";
    double size = static_cast<double>(count) / 1024;
    for (const char* next : {"MB", "GB", "TB"}) {
        if (size < 1024)
            break;
        size /= 1024;
        unit = next;
    }
    return format(size < 10 ? "%.1f %s" : "%.0f %s", size, unit);
}

// A name, in so many columns exactly.
std::string column(std::string_view name, std::size_t width)
{
    std::string text = fit(printable(name), width);
    return text + std::string(width - std::min(columns_of(text), width), ' ');
}

std::string bold(std::string_view text, const report_style& style)
{
    return style.colours ? paint("1", text) : std::string(text);
}

// Tables are made for 80 columns; what the terminal has beyond goes to the widest column.
std::size_t spare(const report_style& style)
{
    return std::min<std::size_t>(std::max(style.columns, table_width) - table_width, 40);
}

void end_table(report_lines& lines, std::size_t all, std::size_t shown)
{
    if (all > shown)
        lines.push_back(
            format("  and %s more: --json has all of them", with_commas(all - shown).c_str()));
}

// Breaks a sentence at blanks, and a word that is too long for a line anywhere.
report_lines wrap(std::string_view text, std::size_t columns)
{
    report_lines lines(1);
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(' '), text.size());
        std::string_view word = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        const std::size_t before = columns_of(lines.back());
        if (before > 0 && before + 1 + columns_of(word) > columns)
            lines.emplace_back();
        else if (before > 0)
            lines.back() += ' ';
        for (; columns_of(word) > columns; lines.emplace_back())
            while (columns_of(lines.back()) < columns || columns_of(word.substr(0, 1)) == 0) {
                lines.back() += word.front();
                word.remove_prefix(1);
            }
        lines.back() += word;
    }
    return lines;
}

std::string counted(const operations::status& seen)
{
    if (!seen.counting.counted)
        return "not counted yet: another session is at it";
    const std::string took = seen.counting.took_seconds < 1
                                 ? format("%.0f ms", seen.counting.took_seconds * 1000)
                                 : format("%.1f s", seen.counting.took_seconds);
    if (seen.counting.exact)
        return "counted now, in " + took;
    return "counted " + operations::print_age(seen.counting.age_seconds) + " ago, in " + took;
}

std::string oldest_snapshot(const operations::status& seen)
{
    std::string text = "none";
    if (!seen.xmin_holders.empty()) {
        const outbox::xmin_holder& oldest = seen.xmin_holders.front();
        text = "oldest " + number(oldest.xmin_age) + " transactions";
        if (oldest.seconds)
            text += ", " + operations::print_age(*oldest.seconds);
        if (operations::is_old(oldest))
            text += ", " + printable(oldest.kind + " " + oldest.identity);
    }
    return seen.sees_durations ? text : text + " (for how long is not visible)";
}

const char* state_of(const operations::listener& worker)
{
    if (worker.silent())
        return "silent";
    return worker.listening ? "listening" : "polling";
}

template <class Group>
std::vector<Group> largest_first(std::vector<Group> groups)
{
    std::ranges::sort(groups, [](const Group& one, const Group& other) {
        return std::tie(other.events, one.generation, one.event_type) <
               std::tie(one.events, other.generation, other.event_type);
    });
    return groups;
}

}

std::string print_time(pg::timestamp at)
{
    // "2026-11-16T03:44:05.123456Z" to the second.
    std::string text = event::print_timestamp(at).value_or(std::string(27, '?')).substr(0, 19);
    text[10] = ' ';
    return text + "Z";
}

std::string print_rate(double per_second)
{
    if (per_second < 9.95)
        return format("%.1f/s", per_second);
    return with_commas(static_cast<std::size_t>(std::lround(per_second))) + "/s";
}

report_lines report_summary(const operations::status& seen, const report_style& style)
{
    const operations::totals& sum = seen.totals;
    report_lines lines;
    const auto add = [&](const char* name, const std::string& text) {
        lines.push_back(fit(format("  %-13s %s", name, text.c_str()), style.columns));
    };
    std::string backlog = number(sum.pending) + " pending, " + number(sum.in_flight) + " in flight";
    if (sum.waiting > 0)
        backlog += ", " + number(sum.waiting) + " due later";
    if (sum.oldest_seconds)
        backlog += ", oldest " + operations::print_age(*sum.oldest_seconds);
    add("backlog", backlog);
    add("", counted(seen));
    add("throughput", print_rate(seen.throughput.delivered_per_second) + " delivered, " +
                          print_rate(seen.throughput.retried_per_second) + " retried, " +
                          print_rate(seen.throughput.failed_per_second) + " failed");
    add("dead letters", number(sum.dead_letters) + ", unrouted " + number(sum.unrouted) +
                            ", stranded " + number(sum.stranded) +
                            format("; notify queue %.1f %% full", seen.notify_queue_usage * 100));
    add("snapshot", oldest_snapshot(seen));
    return lines;
}

report_lines report_warnings(const operations::status& seen, const report_style& style)
{
    constexpr std::string_view mark = "  ! ";
    report_lines lines;
    for (const operations::warning& each : seen.warnings) {
        bool first = true;
        for (const std::string& line :
             wrap(printable(each.sentence), std::max<std::size_t>(style.columns, 40) - mark.size()))
        {
            const std::string whole = std::string(first ? mark : "    ") + line;
            lines.push_back(style.colours ? paint("33", whole) : whole);
            first = false;
        }
    }
    return lines;
}

report_lines report_backlog(const operations::status& seen, const report_style& style,
                            std::size_t rows_max)
{
    if (seen.backlog.empty() || rows_max == 0)
        return {};
    const auto groups = largest_first(seen.backlog);
    const std::size_t shown = std::min(groups.size(), rows_max);
    const std::size_t type = 25 + spare(style);
    report_lines lines{
        bold(format("  %4s %-9s %s %-16s %11s %8s", "gen", "status",
                    column("event type", type).c_str(), "channel", "events", "oldest"),
             style)};
    for (std::size_t i = 0; i < shown; ++i) {
        const outbox::backlog_group& each = groups[i];
        lines.push_back(format("  %4lld %-9s %s %s %11s %8s",
                               static_cast<long long>(each.generation), each.status.c_str(),
                               column(each.event_type, type).c_str(),
                               column(each.channel, 16).c_str(), number(each.events).c_str(),
                               operations::print_age(each.oldest_seconds).c_str()));
    }
    end_table(lines, groups.size(), shown);
    return lines;
}

report_lines report_workers(const operations::status& seen, const report_style& style,
                            std::size_t rows_max)
{
    if (seen.listeners.empty() || rows_max == 0)
        return {};
    const std::size_t shown = std::min(seen.listeners.size(), rows_max);
    const std::size_t name = 31 + spare(style);
    report_lines lines{
        bold(format("  %4s %s %8s %6s %11s  %s", "gen", column("worker", name).c_str(), "heard",
                    "holds", "delivered", "state"),
             style)};
    for (std::size_t i = 0; i < shown; ++i) {
        const operations::listener& each = seen.listeners[i];
        const double rate = each.silent() ? 0 : each.delivered_per_second;
        std::string line =
            format("  %4lld %s %8s %6s %11s  %s", static_cast<long long>(each.generation),
                   column(each.id, name).c_str(),
                   operations::print_age(each.heartbeat_age_seconds).c_str(),
                   number(each.holding).c_str(), print_rate(rate).c_str(), state_of(each));
        lines.push_back(style.colours && each.silent() ? paint("31", line) : line);
    }
    end_table(lines, seen.listeners.size(), shown);
    return lines;
}

report_lines report_dead_letters(const operations::status& seen, const report_style& style,
                                 std::size_t rows_max)
{
    if (seen.dead_letters.empty() || rows_max == 0)
        return {};
    const auto groups = largest_first(seen.dead_letters);
    const std::size_t shown = std::min(groups.size(), rows_max);
    const std::size_t type = 52 + spare(style);
    report_lines lines{
        bold(format("  %4s %s %11s %8s", "gen", column("dead letters of type", type).c_str(),
                    "events", "oldest"),
             style)};
    for (std::size_t i = 0; i < shown; ++i)
        lines.push_back(format("  %4lld %s %11s %8s", static_cast<long long>(groups[i].generation),
                               column(groups[i].event_type, type).c_str(),
                               number(groups[i].events).c_str(),
                               operations::print_age(groups[i].oldest_seconds).c_str()));
    end_table(lines, groups.size(), shown);
    return lines;
}

report_lines report_generations(const operations::status& seen, const report_style& style,
                                std::size_t rows_max)
{
    if (seen.generations.empty() || rows_max == 0)
        return {};
    const std::size_t shown = std::min(seen.generations.size(), rows_max);
    const std::size_t label = 44 + spare(style);
    report_lines lines{bold(format("  %4s %-9s %s %8s %9s", "gen", "status",
                                   column("label", label).c_str(), "contexts", "workers"),
                            style)};
    for (std::size_t i = 0; i < shown; ++i) {
        const operations::generation_state& each = seen.generations[i];
        lines.push_back(format("  %4lld %-9s %s %8s %9s", static_cast<long long>(each.generation),
                               each.status.c_str(), column(each.label, label).c_str(),
                               number(each.contexts).c_str(), number(each.workers).c_str()));
    }
    end_table(lines, seen.generations.size(), shown);
    return lines;
}

report_lines report_storage(const operations::status& seen, const report_style& style)
{
    report_lines lines;
    if (!seen.storage.empty())
        lines.push_back(
            bold(format("  %-24s %17s %16s %16s", "table", "rows, about", "dead, about", "size"),
                 style));
    for (const operations::storage& each : seen.storage)
        lines.push_back(format("  %-24s %17s %16s %16s", each.relation.c_str(),
                               number(each.rows_estimate).c_str(),
                               number(each.dead_rows_estimate).c_str(), bytes(each.bytes).c_str()));
    return lines;
}

report_lines report_status(const operations::status& seen, const report_style& style)
{
    report_lines lines{
        bold(format("%-59s%s", "cuebox status", print_time(seen.at).c_str()), style)};
    for (const report_lines& part :
         {report_warnings(seen, style), report_summary(seen, style),
          report_backlog(seen, style, plain_rows), report_dead_letters(seen, style, plain_rows),
          report_workers(seen, style, plain_rows), report_generations(seen, style, plain_rows),
          report_storage(seen, style)})
    {
        if (part.empty())
            continue;
        lines.emplace_back();
        lines.insert(lines.end(), part.begin(), part.end());
    }
    return lines;
}

}
