#pragma once

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace cuebox::worker::test {

namespace asio = boost::asio;

// A tiny HTTP server on 127.0.0.1, one request at a time: keeps what it gets, and answers with the
// status that the test names for it; 0 is no answer at all.
class http_receiver
{
public:
    using answer = std::function<int(const std::string& request, std::size_t before)>;

    explicit http_receiver(answer status) : status_(std::move(status))
    {
        asio::co_spawn(io_, serve(), [](std::exception_ptr) {});
        thread_ = std::thread([this] { io_.run(); });
    }
    ~http_receiver()
    {
        io_.stop();
        thread_.join();
    }
    http_receiver(const http_receiver&) = delete;
    http_receiver& operator=(const http_receiver&) = delete;

    std::string url(const std::string& path) const
    {
        return "http://127.0.0.1:" + std::to_string(acceptor_.local_endpoint().port()) + path;
    }
    // Each as it came: request line, headers, an empty line, the body.
    std::vector<std::string> requests() const
    {
        const std::lock_guard lock{mutex_};
        return requests_;
    }

private:
    asio::awaitable<void> serve()
    {
        for (;;) {
            auto socket = co_await acceptor_.async_accept(asio::use_awaitable);
            try {
                co_await answer_one(socket);
            }
            catch (const boost::system::system_error&) {
                // Whoever called has gone.
            }
        }
    }

    asio::awaitable<void> answer_one(asio::ip::tcp::socket& socket)
    {
        std::string request;
        auto buffer = asio::dynamic_buffer(request);
        const std::size_t head =
            co_await asio::async_read_until(socket, buffer, "\r\n\r\n", asio::use_awaitable);
        static const std::string length = "Content-Length: ";
        const std::size_t body = std::stoul(request.substr(request.find(length) + length.size()));
        const std::size_t missing = head + body - request.size();
        co_await asio::async_read(socket, buffer, asio::transfer_exactly(missing),
                                  asio::use_awaitable);
        const int status = keep(request);
        if (status == 0) {
            silent_.push_back(std::move(socket));
            co_return;
        }
        const std::string reply = "HTTP/1.1 " + std::to_string(status) +
                                  " as asked\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        co_await asio::async_write(socket, asio::buffer(reply), asio::use_awaitable);
    }

    int keep(const std::string& request)
    {
        const std::lock_guard lock{mutex_};
        requests_.push_back(request);
        return status_(request, requests_.size() - 1);
    }

    answer status_;
    asio::io_context io_{1};
    asio::ip::tcp::acceptor acceptor_{io_, {asio::ip::address_v4::loopback(), 0}};
    std::vector<asio::ip::tcp::socket> silent_;
    mutable std::mutex mutex_;
    std::vector<std::string> requests_;
    std::thread thread_;
};

}
