#include "demo_screen.hpp"

#include "progress.hpp"
#include "terminal.hpp"

#include <algorithm>
#include <cstdio>
#include <string_view>

namespace cuebox::cli {

namespace {

constexpr std::size_t bar_width = 30;
constexpr unsigned rows_min = 20; // The panel at its highest, and the prompt.

}

std::string print_short(std::chrono::microseconds time)
{
    const double milliseconds = static_cast<double>(time.count()) / 1'000;
    if (milliseconds < 9.95)
        return format("%.1f ms", milliseconds);
    if (milliseconds < 999.5)
        return format("%.0f ms", milliseconds);
    return format("%.1f s", milliseconds / 1'000);
}

demo_screen::demo_screen(const demo_figures& figures, std::vector<std::string> acts,
                         std::size_t expected, bool silent)
    : figures_(figures),
      expected_(expected),
      mode_(choose(silent)),
      colours_(mode_ == mode::live && wants_colours()),
      unicode_(speaks_unicode())
{
    for (std::string& each : acts)
        acts_.push_back({.title = std::move(each), .outcome = {}});
}

demo_screen::mode demo_screen::choose(bool silent)
{
    if (silent)
        return mode::silent;
    return draws() && size_of_terminal().rows >= rows_min ? mode::live : mode::plain;
}

void demo_screen::begin()
{
    ++current_;
    if (mode_ == mode::plain)
        std::printf("%5.1f s  %s\n", elapsed(), acts_[current_ - 1].title.c_str());
    refresh();
}

void demo_screen::say(std::string_view how)
{
    acts_[current_ - 1].outcome = how;
    if (mode_ == mode::plain)
        std::printf("         %s\n", acts_[current_ - 1].outcome.c_str());
    refresh();
}

void demo_screen::finish(std::string outcome)
{
    act& over = acts_[current_ - 1];
    over.outcome = std::move(outcome);
    over.over = true;
    if (mode_ == mode::plain)
        std::printf("%5.1f s  done: %s\n", elapsed(), over.outcome.c_str());
    refresh();
}

void demo_screen::detail(std::vector<std::string> lines)
{
    detail_ = std::move(lines);
    if (mode_ == mode::plain)
        for (const std::string& each : detail_)
            std::printf("         %s\n", each.c_str());
    refresh();
}

void demo_screen::refresh()
{
    if (mode_ == mode::live)
        draw(panel());
    else if (mode_ == mode::plain)
        print_figures();
}

void demo_screen::close()
{
    if (mode_ == mode::live)
        draw(heading());
    height_ = 0;
}

std::string demo_screen::mark(bool good) const
{
    return good ? paint("32", "ok") : paint("31", "NO");
}

std::vector<std::string> demo_screen::heading() const
{
    std::vector<std::string> lines{
        paint("1",
              format("%-66s%10.1f s",
                     "cuebox demo: events from a Postgres outbox to their handlers", elapsed())),
        ""};
    for (std::size_t i = 0; i < acts_.size(); ++i) {
        const act& each = acts_[i];
        const std::string state = each.over ? mark(true) : i < current_ ? paint("33", ">>") : "  ";
        lines.push_back(
            "  " + state +
            format("  %-41s %30s", each.title.c_str(), each.outcome.substr(0, 30).c_str()));
    }
    lines.emplace_back();
    return lines;
}

std::vector<std::string> demo_screen::panel() const
{
    std::vector<std::string> lines = heading();
    const auto add = [&lines](const char* name, const std::string& value, const std::string& rest) {
        lines.push_back(format("  %-10s%10s  ", name, value.c_str()) + rest);
    };
    add("published", with_commas(figures_.published()), bar(figures_.published()));
    add("delivered", with_commas(figures_.delivered()),
        bar(figures_.delivered()) + "  of " + with_commas(expected_));
    add("backlog", with_commas(figures_.backlog()), spark(figures_.backlog_history()));
    add("rate", with_commas(figures_.rate()) + "/s",
        spark(figures_.rate_history()) + "  peak " + with_commas(figures_.peak()) + "/s");
    const auto latency = figures_.recent_latency();
    add("latency", latency ? "p50 " + print_short(latency->p50) : "-",
        format("p99 %-28s  publish to handled", latency ? print_short(latency->p99).c_str() : "-"));
    add("retries", with_commas(figures_.retries()),
        with_commas(figures_.failing()) + " failed and not yet delivered");
    add("LISTEN", line_, "");
    if (line_ == "down")
        lines.back() = paint("31", lines.back());
    if (!detail_.empty())
        lines.emplace_back();
    for (const std::string& each : detail_)
        lines.push_back("  " + each);
    return lines;
}

std::string demo_screen::spark(const std::deque<std::size_t>& history) const
{
    return cli::spark(history, bar_width + 2, unicode_);
}

std::string demo_screen::bar(std::size_t part) const
{
    const std::size_t filled = std::min(part * bar_width / expected_, bar_width);
    return "[" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "]";
}

std::string demo_screen::paint(const char* colour, std::string_view text) const
{
    return colours_ ? cli::paint(colour, text) : std::string(text);
}

void demo_screen::draw(const std::vector<std::string>& lines)
{
    // Without wrapping: a narrow terminal cuts lines off rather than losing count of them.
    std::string frame = "\033[?7l";
    if (height_ > 0)
        frame += format("\033[%zuA\r", height_);
    for (const std::string& each : lines)
        frame += each + "\033[K\n";
    frame += "\033[J\033[?7h";
    std::fwrite(frame.data(), 1, frame.size(), stdout);
    std::fflush(stdout);
    height_ = lines.size();
}

void demo_screen::print_figures()
{
    std::fflush(stdout);
    const auto now = clock::now();
    if (now < plain_due_ || figures_.published() == 0)
        return;
    plain_due_ = now + std::chrono::seconds(1);
    const auto latency = figures_.recent_latency();
    std::printf(
        "%5.1f s  %s of %s delivered, backlog %s, %s/s, %s%s retries, LISTEN %s\n", elapsed(),
        with_commas(figures_.delivered()).c_str(), with_commas(figures_.published()).c_str(),
        with_commas(figures_.backlog()).c_str(), with_commas(figures_.rate()).c_str(),
        latency ? ("p50 " + print_short(latency->p50) + " p99 " + print_short(latency->p99) + ", ")
                      .c_str()
                : "",
        with_commas(figures_.retries()).c_str(), line_.c_str());
    std::fflush(stdout);
}

double demo_screen::elapsed() const
{
    return std::chrono::duration<double>(clock::now() - started_).count();
}

}
