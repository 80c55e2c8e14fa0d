#pragma once

#include <cuebox/http/server.hpp>
#include <cuebox/runtime/scope.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/asio/write.hpp>

#include <atomic>
#include <future>
#include <mutex>
#include <sys/socket.h>
#include <thread>

namespace cuebox::http::test {

using namespace std::chrono_literals;
using boost::system::error_code;

// Where a handler waits until the test lets it go, or the server cancels it.
class barrier
{
public:
    awaitable<void> pass()
    {
        const asio::any_io_executor executor = co_await asio::this_coro::executor;
        const auto timer =
            std::make_shared<asio::steady_timer>(executor, asio::steady_timer::time_point::max());
        {
            const std::lock_guard lock(mutex_);
            waiting_ = timer;
        }
        entered_.set_value();
        error_code woken;
        co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, woken));
        if (!open_)
            throw boost::system::system_error(woken);
    }

    // By the test: until a handler is here.
    void await_entry() { entered_.get_future().wait(); }
    void open()
    {
        const std::lock_guard lock(mutex_);
        open_ = true;
        if (const auto timer = waiting_.lock())
            asio::post(timer->get_executor(), [timer] { timer->cancel(); });
    }

private:
    std::mutex mutex_;
    std::weak_ptr<asio::steady_timer> waiting_; // It must not outlive the server's io_context.
    std::atomic<bool> open_{false};
    std::promise<void> entered_;
};

// A server on a thread of its own, for as long as the test has it.
class serving
{
public:
    explicit serving(request_handler handler, server_options options = {})
        : server_(io_.get_executor(), with_trouble(std::move(options)), std::move(handler)),
          ended_(asio::co_spawn(io_, server_.run(), asio::use_future)),
          thread_([this] { io_.run(); })
    {}
    ~serving()
    {
        server_.stop();
        thread_.join();
    }
    serving(const serving&) = delete;
    serving& operator=(const serving&) = delete;

    std::uint16_t port() const { return server_.port(); }
    std::string url(const std::string& path) const { return "http://" + server_.address() + path; }
    void stop() { server_.stop(); }
    // Until nothing of it is left.
    void await_end() { ended_.get(); }
    std::vector<std::string> trouble() const
    {
        const std::lock_guard lock(mutex_);
        return trouble_;
    }

private:
    server_options with_trouble(server_options options)
    {
        options.trouble = [this](std::string_view what) {
            const std::lock_guard lock(mutex_);
            trouble_.emplace_back(what);
        };
        return options;
    }

    mutable std::mutex mutex_;
    std::vector<std::string> trouble_;
    asio::io_context io_{1};
    server server_;
    std::future<void> ended_;
    std::thread thread_;
};

// A client that sends what it is told, well formed or not. A server that never answers fails the
// test instead of hanging it.
class raw_client
{
public:
    explicit raw_client(std::uint16_t port)
    {
        socket_.connect({asio::ip::make_address("127.0.0.1"), port});
        const timeval patience{.tv_sec = 30, .tv_usec = 0};
        ::setsockopt(socket_.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    }

    raw_client& send(std::string_view text)
    {
        error_code cut; // The server may have had enough: what it said is still to be read.
        asio::write(socket_, asio::buffer(text), cut);
        cut_off_ = cut_off_ || cut;
        return *this;
    }
    bool cut_off() const { return cut_off_; }

    // The next response: its head, an empty line, and as much body as it announces.
    std::string response(bool with_body = true)
    {
        error_code ended;
        const std::size_t head =
            asio::read_until(socket_, asio::dynamic_buffer(in_), "\r\n\r\n", ended);
        if (ended)
            return "(" + ended.message() + ")";
        std::size_t size = head;
        const auto length = in_.find("Content-Length: ");
        if (with_body && length < head)
            size += std::stoul(in_.substr(length + 16));
        while (in_.size() < size && !ended)
            read_some(ended);
        std::string out = in_.substr(0, size);
        in_.erase(0, size);
        return out;
    }

    // The server has closed, and there was nothing more to read.
    bool closed()
    {
        error_code ended;
        while (!ended)
            read_some(ended);
        return in_.empty() && ended != asio::error::would_block && ended != asio::error::try_again;
    }

private:
    void read_some(error_code& ended)
    {
        char space[4096];
        const std::size_t got = socket_.read_some(asio::buffer(space), ended);
        in_.append(space, got);
    }

    asio::io_context io_;
    asio::ip::tcp::socket socket_{io_};
    std::string in_;
    bool cut_off_ = false;
};

// Takes connections, as the kernel does for it, and never reads from one.
class hanging_receiver
{
public:
    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }
    std::string url(const std::string& path) const
    {
        return "http://127.0.0.1:" + std::to_string(port()) + path;
    }

private:
    asio::io_context io_;
    asio::ip::tcp::acceptor acceptor_{io_, {asio::ip::make_address("127.0.0.1"), 0}};
};

}
