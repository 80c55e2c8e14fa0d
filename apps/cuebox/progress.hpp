#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace cuebox::cli {

// How far a long command is, on stderr: a bar that redraws itself on a terminal, else a plain line
// every few seconds.
class progress
{
public:
    // Silent for those who asked for machine-readable output.
    explicit progress(bool silent);
    ~progress();
    progress(const progress&) = delete;
    progress& operator=(const progress&) = delete;

    // Cheap enough to call for every event.
    void show(std::size_t count, std::optional<double> share);
    // For those who call it once for many.
    void update(std::size_t count, std::optional<double> share);
    // Off the line that is printed next.
    void clear();

private:
    using clock = std::chrono::steady_clock;

    void draw(std::size_t count, std::optional<double> share, clock::time_point now);

    bool silent_;
    bool terminal_;
    bool drawn_ = false;
    std::size_t calls_ = 0;
    clock::time_point started_ = clock::now();
    clock::time_point due_;
};

// 1234567 as "1,234,567".
std::string with_commas(std::size_t number);

// "1 event", "1,234 events".
std::string counted(std::size_t number, std::string_view what);

// What is shown after so many seconds: "[###...] 10%  1,234 events, 617/s".
std::string progress_line(std::size_t count, std::optional<double> share, double seconds);

}
