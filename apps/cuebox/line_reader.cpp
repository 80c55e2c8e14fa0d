#include "line_reader.hpp"

#include <cuebox/cli/command.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/system_error.hpp>

#include <sys/stat.h>
#include <unistd.h>

namespace cuebox::cli {

namespace asio = boost::asio;

namespace {

constexpr std::size_t read_size = 256 * 1'024;

}

line_reader::line_reader(const asio::any_io_executor& executor) : input_(executor)
{
    struct stat facts{};
    if (fstat(STDIN_FILENO, &facts) != 0)
        throw failure{"stdin is closed: pipe NDJSON in, or publish one event with --type"};
    if (S_ISREG(facts.st_mode))
        size_ = static_cast<std::uint64_t>(facts.st_size);
    else
        input_.assign(dup(STDIN_FILENO));
}

std::optional<double> line_reader::share() const
{
    if (!size_ || *size_ == 0)
        return std::nullopt;
    return static_cast<double>(bytes_) / static_cast<double>(*size_);
}

asio::awaitable<bool> line_reader::fill()
{
    buffer_.erase(0, at_);
    at_ = 0;
    const std::size_t before = buffer_.size();
    buffer_.resize(before + read_size);
    std::size_t got = 0;
    if (input_.is_open()) {
        const auto [error, count] = co_await input_.async_read_some(
            asio::buffer(buffer_.data() + before, read_size), asio::as_tuple(asio::use_awaitable));
        if (error && error != asio::error::eof)
            throw boost::system::system_error(error);
        got = count;
    }
    else {
        const ssize_t count = read(STDIN_FILENO, buffer_.data() + before, read_size);
        got = count > 0 ? static_cast<std::size_t>(count) : 0;
    }
    buffer_.resize(before + got);
    bytes_ += got;
    co_return got > 0;
}

asio::awaitable<std::optional<std::string>> line_reader::next()
{
    for (;;) {
        const std::size_t end = buffer_.find('\n', at_);
        if (end == buffer_.npos && !ended_) {
            if (buffer_.size() - at_ > line_max)
                throw failure{"line " + std::to_string(line_ + 1) +
                              ": longer than 2 MiB: is it NDJSON, one object a line?"};
            const bool more = co_await fill();
            ended_ = !more;
            continue;
        }
        if (at_ == buffer_.size())
            co_return std::nullopt;
        std::string text = buffer_.substr(at_, end == buffer_.npos ? end : end - at_);
        at_ = end == buffer_.npos ? buffer_.size() : end + 1;
        ++line_;
        if (text.find_first_not_of(" \t\r") != text.npos)
            co_return text;
    }
}

}
