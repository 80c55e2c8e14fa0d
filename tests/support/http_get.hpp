#pragma once

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>

#include <chrono>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>

namespace cuebox::test {

struct http_answer
{
    int status = 0;
    std::string body{};
};

// GET from host:port on this machine, and waits for the answer; status 0 when there is none in
// time.
inline http_answer http_get(const std::string& address, const std::string& path,
                            std::chrono::seconds within = std::chrono::seconds(60))
{
    namespace asio = boost::asio;
    const auto colon = address.rfind(':');
    asio::io_context io;
    asio::ip::tcp::socket socket(io);
    socket.connect({asio::ip::make_address(address.substr(0, colon)),
                    static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)))});
    const timeval longest{.tv_sec = within.count(), .tv_usec = 0};
    ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_RCVTIMEO, &longest, sizeof longest);
    asio::write(socket, asio::buffer("GET " + path + " HTTP/1.1\r\nHost: " + address +
                                     "\r\nConnection: close\r\n\r\n"));
    std::string got;
    boost::system::error_code ended;
    asio::read(socket, asio::dynamic_buffer(got), ended);
    const auto head = got.find("\r\n\r\n");
    if (head == std::string::npos)
        return {};
    return {.status = std::stoi(got.substr(got.find(' ') + 1)), .body = got.substr(head + 4)};
}

}
