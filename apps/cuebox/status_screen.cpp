#include "status_screen.hpp"

#include "progress.hpp"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <fcntl.h>

namespace cuebox::cli {

namespace {

constexpr std::size_t history_max = 400;
// From here on there is a line to spare.
constexpr std::size_t roomy_rows = 30;
// What is left for a chart beside its name and its figure, and after it.
constexpr std::size_t chart_margin = 42;

void keep(std::deque<std::size_t>& history, double value)
{
    history.push_back(static_cast<std::size_t>(std::lround(std::max(value, 0.0))));
    if (history.size() > history_max)
        history.pop_front();
}

void append(report_lines& lines, const report_lines& part)
{
    if (part.empty())
        return;
    lines.emplace_back();
    lines.insert(lines.end(), part.begin(), part.end());
}

}

void status_frame::add(operations::status seen)
{
    trouble_.clear();
    if (seen.counting.counted)
        keep(backlog_, static_cast<double>(seen.totals.pending + seen.totals.in_flight));
    keep(rate_, seen.throughput.delivered_per_second);
    last_ = std::move(seen);
}

report_lines status_frame::heading(const look& how) const
{
    const std::string title = format("cuebox status, every %g s, q quits",
                                     std::chrono::duration<double>(how.interval).count());
    const std::string at = last_ ? print_time(last_->at) : std::string();
    const std::size_t gap = how.size.columns - std::min(how.size.columns, title.size() + at.size());
    const std::string line = title + std::string(std::max<std::size_t>(gap, 1), ' ') + at;
    report_lines lines{how.colours ? paint("1", line) : line};
    if (!trouble_.empty()) {
        const std::string lost = "  the connection is lost, trying again: " + printable(trouble_);
        lines.push_back(how.colours ? paint("31", lost) : lost);
    }
    return lines;
}

report_lines status_frame::charts(const look& how) const
{
    if (how.size.columns <= chart_margin)
        return {};
    const std::size_t width = how.size.columns - chart_margin;
    const auto line = [&](const char* name, const std::deque<std::size_t>& history,
                          const char* unit) {
        const auto last = history.empty() ? std::string("-") : with_commas(history.back()) + unit;
        const auto most = history.empty() ? 0 : *std::ranges::max_element(history);
        return format("  %-10s %12s ", name, last.c_str()) + spark(history, width, how.unicode, 1) +
               format(" peak %s%s", with_commas(most).c_str(), unit);
    };
    return {line("backlog", backlog_, ""), line("delivered", rate_, "/s")};
}

// What matters most comes first, and what there is no room for is left out: the tables share what
// the summary and the warnings leave.
report_lines status_frame::lines(const look& how) const
{
    const report_style style{.columns = how.size.columns, .colours = how.colours};
    const std::size_t rows = how.size.rows;
    report_lines all = heading(how);
    if (last_) {
        report_lines warnings = report_warnings(*last_, style);
        const std::size_t warnings_max = std::max<std::size_t>(rows / 5, 2);
        if (warnings.size() > warnings_max) {
            warnings.resize(warnings_max - 1);
            warnings.push_back(format("    ... %zu warnings in all: `cuebox status` has them",
                                      last_->warnings.size()));
        }
        append(all, charts(how));
        if (rows >= roomy_rows)
            all.emplace_back();
        const report_lines summary = report_summary(*last_, style);
        all.insert(all.end(), summary.begin(), summary.end());
        append(all, warnings);
        // Of each table a blank line, its heading and what was left out of it.
        constexpr std::size_t frame = 3;
        const auto room = [&] { return rows - std::min(rows, all.size()); };
        const std::size_t half = room() / 2;
        const std::size_t workers = std::min(last_->listeners.size() + frame, half);
        const std::size_t groups = room() - workers;
        append(all, report_backlog(*last_, style, groups - std::min(groups, frame)));
        append(all, report_workers(*last_, style, room() - std::min(room(), frame)));
        append(all, report_dead_letters(*last_, style, room() - std::min(room(), frame)));
        append(all, report_generations(*last_, style, room() - std::min(room(), frame)));
        if (room() > last_->storage.size() + 1)
            append(all, report_storage(*last_, style));
    }
    all.resize(rows);
    for (std::string& each : all)
        each = fit(each, how.size.columns);
    return all;
}

status_screen::status_screen(const boost::asio::any_io_executor& on,
                             std::chrono::milliseconds interval)
    : look_{.size = size_of_terminal(),
            .colours = wants_colours(),
            .unicode = speaks_unicode(),
            .interval = interval},
      resized_(on, SIGWINCH),
      stopped_(on, SIGTSTP)
{
    // Opened anew: what is not to block here must not stop to block for whoever started us.
    if (const int keyboard = ::open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY); keyboard >= 0)
        keys_.emplace(on, keyboard);
    await_resize();
    await_stop();
    await_key();
    draw();
}

void status_screen::add(operations::status seen)
{
    frame_.add(std::move(seen));
    draw();
}

void status_screen::lose(std::string why)
{
    frame_.lose(std::move(why));
    draw();
}

void status_screen::draw() const
{
    std::string frame = "\033[H";
    // Cleared before it is written: afterwards the cursor may still be on its last letter.
    for (const std::string& each : frame_.lines(look_))
        frame += "\033[2K" + each + "\r\n";
    frame.resize(frame.size() - 2); // The last line must not push the first one out.
    screen_.show(frame);
}

// With an error this object is gone, or about to be.
void status_screen::await_resize()
{
    resized_.async_wait([this](const boost::system::error_code& error, int) {
        if (error)
            return;
        look_.size = size_of_terminal();
        draw();
        await_resize();
    });
}

// The shell gets its screen; when it has us go on, this goes on where it was.
void status_screen::await_stop()
{
    stopped_.async_wait([this](const boost::system::error_code& error, int) {
        if (error)
            return;
        screen_.leave();
        std::raise(SIGSTOP);
        screen_.enter();
        look_.size = size_of_terminal();
        draw();
        await_stop();
    });
}

void status_screen::await_key()
{
    if (!keys_)
        return;
    keys_->async_read_some(boost::asio::buffer(typed_),
                           [this](const boost::system::error_code& error, std::size_t count) {
                               if (error)
                                   return;
                               if (std::string_view(typed_.data(), count).find('q') !=
                                   std::string_view::npos)
                                   std::raise(SIGINT);
                               await_key();
                           });
}

}
