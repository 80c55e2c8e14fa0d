#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace cuebox::cli {

// The lines of stdin, without blocking the loop where the kernel allows it: for all but files.
class line_reader
{
public:
    // Longer lines are refused: no event can be that long.
    static constexpr std::size_t line_max = 2 * 1'024 * 1'024;

    explicit line_reader(const boost::asio::any_io_executor& executor);

    // None at the end of the input. Empty lines are skipped.
    boost::asio::awaitable<std::optional<std::string>> next();

    // The number of the line that next() gave last, from 1.
    std::size_t line() const noexcept { return line_; }
    // How much of the input has been read, if its size is known.
    std::optional<double> share() const;

private:
    boost::asio::awaitable<bool> fill();

    boost::asio::posix::stream_descriptor input_;
    std::string buffer_;
    std::size_t at_ = 0;
    std::size_t line_ = 0;
    std::uint64_t bytes_ = 0;
    std::optional<std::uint64_t> size_; // Of a file.
    bool ended_ = false;
};

}
