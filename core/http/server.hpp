#pragma once

#include <cuebox/http/error.hpp>
#include <cuebox/http/header.hpp>
#include <cuebox/runtime/awaitable.hpp>
#include <cuebox/runtime/clock.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace cuebox::http {

struct request
{
    // A HEAD is asked as GET: the server leaves out the body.
    std::string method{};
    // Up to the question mark, as it was sent.
    std::string path{};
    // After it.
    std::string query{};
    http::headers headers{};
    std::string body{};
};

struct response
{
    unsigned status = 200;
    std::string content_type = "text/plain; charset=utf-8";
    std::string body{};
    // Further ones.
    http::headers headers{};
};

// Runs on the server's executor. What it throws is reported and answered with a bare 500. It is
// cancelled when its time is up, or the server's at the end, and has to end then: it is joined.
using request_handler = std::function<awaitable<response>(request)>;

struct server_limits
{
    // A request line and its headers.
    std::size_t header_max = 8 * 1024;
    std::size_t body_max = 64 * 1024;
    // When there are more, whoever has kept the server waiting longest is let go.
    std::size_t connections_max = 64;
    // How long a connection may stay without a request.
    duration idle_within = std::chrono::seconds(60);
    // From the first byte of a request to its last.
    duration read_within = std::chrono::seconds(10);
    duration handle_within = std::chrono::seconds(30);
    duration write_within = std::chrono::seconds(10);
    // How long requests that run may take to end when the server stops.
    duration stop_within = std::chrono::seconds(5);
};

struct server_options
{
    // An address of this machine. Only this machine itself can reach the default; 0.0.0.0 is
    // everybody who can reach any of its addresses, and has to be written out.
    std::string host = "127.0.0.1";
    // Zero takes a free one; see server::port.
    std::uint16_t port = 0;
    server_limits limits{};
    // Told, in a sentence, of what went wrong; on the server's executor.
    std::function<void(std::string_view)> trouble{};
};

// HTTP/1.1 for what a process tells of itself. Everything runs on one sequential executor, which
// the handler shares.
//
//     http::server server{loop.executor(), {.port = 9100}, answer};
//     scope.spawn(server.run());
//     …
//     server.stop();
//     co_await scope.join();
class server
{
public:
    // Takes the address. Throws http::error, naming it, when that cannot be had.
    server(asio::any_io_executor executor, server_options options, request_handler handler);
    ~server();
    server(const server&) = delete;
    server& operator=(const server&) = delete;

    std::uint16_t port() const noexcept;
    // host:port
    const std::string& address() const noexcept;

    // Serves until it is told to stop or cancelled, and returns when every connection has ended.
    // Once, and on the server's executor.
    awaitable<void> run();

    // Lets requests that run finish, until their deadline. Any thread; twice is fine, also before
    // run.
    void stop();

private:
    struct state;
    std::shared_ptr<state> state_;
};

}
