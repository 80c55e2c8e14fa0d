#include "progress.hpp"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

namespace cuebox::cli {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t bar_width = 30;

std::string bar(double share)
{
    const auto filled = static_cast<std::size_t>(share * bar_width);
    return "[" + std::string(filled, '#') + std::string(bar_width - filled, '.') + "]";
}

}

std::string with_commas(std::size_t number)
{
    std::string digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string counted(std::size_t number, std::string_view what)
{
    return with_commas(number) + " " + std::string(what) + (number == 1 ? "" : "s");
}

std::string progress_line(std::size_t count, std::optional<double> share, double seconds)
{
    const auto rate = static_cast<std::size_t>(static_cast<double>(count) / seconds);
    std::string text = counted(count, "event") + ", " + with_commas(rate) + "/s";
    if (!share)
        return text;
    // What is counted may grow meanwhile, and something may be counted twice.
    const double done = std::clamp(*share, 0.0, 1.0);
    return bar(done) + " " + std::to_string(static_cast<int>(done * 100)) + "%  " + text;
}

progress::progress(bool silent)
    : silent_(silent),
      terminal_(isatty(STDERR_FILENO) != 0),
      due_(started_ + (terminal_ ? clock::duration(200ms) : clock::duration(5s)))
{}

progress::~progress()
{
    clear();
}

void progress::clear()
{
    if (drawn_ && terminal_)
        std::fputs("\r\033[K", stderr);
    drawn_ = false;
}

void progress::show(std::size_t count, std::optional<double> share)
{
    if (!silent_ && ++calls_ % 64 == 0)
        update(count, share);
}

void progress::update(std::size_t count, std::optional<double> share)
{
    if (silent_)
        return;
    if (const auto now = clock::now(); now >= due_)
        draw(count, share, now);
}

void progress::draw(std::size_t count, std::optional<double> share, clock::time_point now)
{
    const double seconds = std::chrono::duration<double>(now - started_).count();
    const std::string text = progress_line(count, share, seconds);
    if (terminal_)
        std::fprintf(stderr, "\r\033[K%s", text.c_str());
    else
        std::fprintf(stderr, "%s\n", text.c_str());
    std::fflush(stderr);
    drawn_ = true;
    due_ = now + (terminal_ ? clock::duration(200ms) : clock::duration(5s));
}

}
