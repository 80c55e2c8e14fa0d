#pragma once

#include "support/tcp_gate.hpp"

#include <cuebox/embedded/platform.hpp>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <string>

namespace cuebox::test {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

inline const tcp::endpoint any_port{asio::ip::address_v4::loopback(), 0};

// A client and a server with a gate between them, all blocking but the gate.
struct ends
{
    tcp::socket connect()
    {
        tcp::socket socket{context};
        socket.connect({any_port.address(), static_cast<unsigned short>(gate.port())});
        return socket;
    }

    void open()
    {
        client = connect();
        server = listening.accept();
    }

    asio::io_context context;
    tcp::acceptor listening{context, any_port};
    tcp_gate gate{listening.local_endpoint().port()};
    tcp::socket client{context};
    tcp::socket server{context};
};

inline void say(tcp::socket& to, const std::string& text)
{
    asio::write(to, asio::buffer(text));
}

inline std::string hear(tcp::socket& from, std::size_t count)
{
    std::string text(count, '?');
    std::size_t got = 0;
    while (got < count &&
           cuebox::embedded::wait_readable(from.native_handle(), std::chrono::seconds{10}))
        got += from.read_some(asio::buffer(text.data() + got, count - got));
    return text.substr(0, got);
}

// How the other side ended it.
inline error_code hear_end(tcp::socket& from)
{
    error_code how;
    char ignored = 0;
    if (cuebox::embedded::wait_readable(from.native_handle(), std::chrono::seconds{10}))
        from.read_some(asio::buffer(&ignored, 1), how);
    return how;
}

inline bool is_silent(tcp::socket& from)
{
    return !cuebox::embedded::wait_readable(from.native_handle(), std::chrono::milliseconds{0});
}

}
