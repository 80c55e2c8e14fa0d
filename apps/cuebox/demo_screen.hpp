#pragma once

#include "demo_figures.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace cuebox::cli {

// Where the demo stands, for those who watch: a panel that redraws itself on a terminal, plain
// lines where stdout is none, and nothing for those who asked for JSON. 80 columns are enough.
class demo_screen
{
public:
    demo_screen(const demo_figures& figures, std::vector<std::string> acts, std::size_t expected,
                bool silent);
    demo_screen(const demo_screen&) = delete;
    demo_screen& operator=(const demo_screen&) = delete;

    // The next act begins; says how it goes; is over, with this outcome.
    void begin();
    void say(std::string_view how);
    void finish(std::string outcome);
    // A few lines below the figures; none clears them.
    void detail(std::vector<std::string> lines);
    void set_line(std::string state) { line_ = std::move(state); }

    // A few times a second.
    void refresh();
    // The figures go, what was done stays; what is printed next comes below.
    void close();

    // Whether somebody watches, who needs time to read.
    bool watched() const noexcept { return mode_ != mode::silent; }
    // "ok" and the like, in colour where there is any.
    std::string mark(bool good) const;

private:
    using clock = std::chrono::steady_clock;
    enum class mode
    {
        live,
        plain,
        silent
    };
    struct act
    {
        std::string title;
        std::string outcome;
        bool over = false;
    };

    static mode choose(bool silent);
    std::vector<std::string> heading() const;
    std::vector<std::string> panel() const;
    std::string spark(const std::deque<std::size_t>& history) const;
    std::string bar(std::size_t part) const;
    std::string paint(const char* colour, std::string_view text) const;
    void draw(const std::vector<std::string>& lines);
    void print_figures();
    double elapsed() const;

    const demo_figures& figures_;
    std::vector<act> acts_;
    std::size_t expected_;
    mode mode_;
    bool colours_;
    bool unicode_;
    std::size_t current_ = 0; // Acts begun so far.
    std::string line_ = "-";
    std::vector<std::string> detail_;
    std::size_t height_ = 0; // Of what was drawn last.
    clock::time_point started_ = clock::now();
    clock::time_point plain_due_ = started_ + std::chrono::seconds(1);
};

// "1.2 ms", "38 ms", "1.4 s".
std::string print_short(std::chrono::microseconds time);

}
