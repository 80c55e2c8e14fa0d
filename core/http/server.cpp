#include <cuebox/http/connection.hpp>
#include <cuebox/http/server.hpp>
#include <cuebox/runtime/exit.hpp>
#include <cuebox/runtime/scope.hpp>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <list>

namespace cuebox::http {

namespace {

using asio::ip::tcp;
using boost::system::error_code;
using connection_ptr = std::shared_ptr<detail::connection>;

// Out of descriptors, say: trying again at once would only burn the processor.
constexpr std::chrono::milliseconds accept_pause{100};

constexpr std::string_view too_many =
    "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";

std::string print_place(const std::string& host, unsigned port)
{
    const bool bracket = host.find(':') != std::string::npos;
    return (bracket ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

tcp::endpoint find_place(const server_options& options)
{
    error_code no_address;
    const std::string host = options.host == "localhost" ? "127.0.0.1" : options.host;
    const auto address = asio::ip::make_address(host, no_address);
    if (no_address)
        throw error("\"" + options.host +
                    "\" is no address to listen at: give one of this machine such as 127.0.0.1, "
                    "or 0.0.0.0 for all of them");
    return {address, options.port};
}

[[noreturn]] void refuse(const server_options& options, const error_code& failed)
{
    std::string why = failed.message() + ": give another host or port";
    if (failed == asio::error::address_in_use)
        why = "another program listens there: stop it, give another port, or 0 for a free one";
    else if (failed == asio::error::access_denied)
        why = "ports below 1024 are not for everybody: give a higher one";
    else if (failed == boost::system::errc::address_not_available)
        why = "not an address of this machine: give 127.0.0.1, or 0.0.0.0 for all it has";
    throw error("cannot listen at " + print_place(options.host, options.port) + ": " + why);
}

tcp::acceptor listen(const asio::any_io_executor& executor, const server_options& options)
{
    const tcp::endpoint place = find_place(options);
    tcp::acceptor made(executor);
    error_code failed;
    made.open(place.protocol(), failed);
    if (!failed)
        made.set_option(tcp::acceptor::reuse_address(true), failed);
    if (!failed)
        made.bind(place, failed);
    if (!failed)
        made.listen(tcp::acceptor::max_listen_connections, failed);
    if (failed)
        refuse(options, failed);
    return made;
}

}

struct server::state
{
    state(const asio::any_io_executor& executor_, const server_options& options,
          request_handler handler)
        : executor(executor_),
          acceptor(listen(executor_, options)),
          pause(executor_),
          port(acceptor.local_endpoint().port()),
          address(print_place(options.host, port)),
          service(std::make_shared<detail::service>(
              detail::service{options.limits, std::move(handler), options.trouble}))
    {}

    static awaitable<void> attend(std::shared_ptr<state> self,
                                  std::list<connection_ptr>::iterator which);

    void admit(tcp::socket socket, const std::shared_ptr<state>& self, scope& connections);
    bool make_room();
    void begin_stop();

    asio::any_io_executor executor;
    tcp::acceptor acceptor;
    asio::steady_timer pause;
    std::uint16_t port;
    std::string address;
    std::shared_ptr<const detail::service> service;
    std::list<connection_ptr> open;
    bool stopping = false;
};

// From its first byte to its last, and nothing of it reaches the others.
awaitable<void> server::state::attend(std::shared_ptr<state> self,
                                      std::list<connection_ptr>::iterator which)
{
    struct entry
    {
        ~entry() { of.open.erase(which); }
        state& of;
        std::list<connection_ptr>::iterator which;
    };
    const entry mine{*self, which};
    const connection_ptr keep = *which;
    try {
        co_await keep->serve();
    }
    catch (const boost::system::system_error&) {
        throw; // Cancelled.
    }
    catch (const std::exception& failed) {
        self->service->report(std::string("a connection failed: ") + failed.what());
    }
}

bool server::state::make_room()
{
    if (open.size() < service->limits.connections_max)
        return true;
    const auto longest = std::ranges::min_element(open, {}, &detail::connection::waits_since);
    if (longest == open.end() || (*longest)->waits_since() == time_point::max())
        return false;
    (*longest)->close();
    return true;
}

void server::state::admit(tcp::socket socket, const std::shared_ptr<state>& self,
                          scope& connections)
{
    if (!make_room()) {
        error_code ignored; // It may well not hear it.
        socket.non_blocking(true, ignored);
        socket.write_some(asio::buffer(too_many), ignored);
        return;
    }
    error_code ignored; // A second answer would wait for the first one's acknowledgement.
    socket.set_option(tcp::no_delay(true), ignored);
    open.push_back(detail::make_connection(std::move(socket), service));
    connections.spawn(attend(self, std::prev(open.end())));
}

void server::state::begin_stop()
{
    stopping = true;
    error_code ignored;
    acceptor.close(ignored);
    pause.cancel();
    for (const connection_ptr& each : open)
        each->finish();
}

server::server(asio::any_io_executor executor, server_options options, request_handler handler)
    : state_(std::make_shared<state>(executor, options, std::move(handler)))
{}

server::~server() = default;

std::uint16_t server::port() const noexcept
{
    return state_->port;
}

const std::string& server::address() const noexcept
{
    return state_->address;
}

awaitable<void> server::run()
{
    const auto self = state_;
    const auto connections = std::make_shared<scope>(self->executor);
    // A cancelled server still waits for its connections.
    co_await asio::this_coro::throw_if_cancelled(false);
    std::chrono::steady_clock::time_point quiet_until{};
    while (!self->stopping) {
        error_code failed;
        tcp::socket socket(self->executor);
        const auto token = asio::redirect_error(asio::use_awaitable, failed);
        co_await self->acceptor.async_accept(socket, token);
        const auto cancellation = co_await asio::this_coro::cancellation_state;
        if (self->stopping || cancellation.cancelled() != asio::cancellation_type::none)
            break;
        if (!failed) {
            self->admit(std::move(socket), self, *connections);
            continue;
        }
        // Out of descriptors, say: as long as it lasts, a line in half a minute is enough.
        if (const auto now = std::chrono::steady_clock::now(); now >= quiet_until) {
            self->service->report("cannot accept at " + self->address + ": " + failed.message());
            quiet_until = now + std::chrono::seconds(30);
        }
        self->pause.expires_after(accept_pause);
        co_await self->pause.async_wait(token);
    }

    self->begin_stop();
    asio::steady_timer deadline(self->executor);
    deadline.expires_after(self->service->limits.stop_within);
    deadline.async_wait([weak = std::weak_ptr(connections)](const error_code& cancelled) {
        const auto late = weak.lock();
        if (!cancelled && late)
            late->cancel();
    });
    co_await connections->join();
}

void server::stop()
{
    asio::post(state_->executor, [self = state_] { self->begin_stop(); });
}

}
