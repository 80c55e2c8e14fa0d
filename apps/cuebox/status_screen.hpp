#pragma once

#include "status_report.hpp"
#include "terminal.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/signal_set.hpp>

#include <array>
#include <chrono>
#include <deque>
#include <optional>

namespace cuebox::cli {

// What `cuebox status --watch` shows over time, as a frame of a given size; no terminal needed.
class status_frame
{
public:
    void add(operations::status seen);
    // The connection is lost, and why; until the next status.
    void lose(std::string why) { trouble_ = std::move(why); }

    struct look
    {
        terminal_size size{};
        bool colours = false;
        bool unicode = false;
        std::chrono::milliseconds interval{};
    };
    // Exactly as many lines as there are rows.
    report_lines lines(const look& how) const;

private:
    report_lines heading(const look& how) const;
    report_lines charts(const look& how) const;

    std::optional<operations::status> last_;
    std::deque<std::size_t> backlog_;
    std::deque<std::size_t> rate_;
    std::string trouble_;
};

// The frame on the whole screen: redrawn when its size changes, gone with this object, and while
// Ctrl-Z has the process stopped. The key q is a SIGINT to this process, as Ctrl-C is.
class status_screen
{
public:
    status_screen(const boost::asio::any_io_executor& on, std::chrono::milliseconds interval);

    void add(operations::status seen);
    void lose(std::string why);

private:
    void draw() const;
    void await_resize();
    void await_stop();
    void await_key();

    status_frame frame_;
    status_frame::look look_;
    full_screen screen_;
    boost::asio::signal_set resized_;
    boost::asio::signal_set stopped_;
    std::optional<boost::asio::posix::stream_descriptor> keys_;
    std::array<char, 16> typed_{};
};

}
