#pragma once

#include <cuebox/http/server.hpp>

#include <boost/asio/ip/tcp.hpp>

// Private to this room.
namespace cuebox::http::detail {

// What all connections of a server share.
struct service
{
    server_limits limits;
    request_handler handler;
    std::function<void(std::string_view)> trouble;

    void report(const std::string& what) const
    {
        if (trouble)
            trouble(what);
    }
};

// One client, and its requests one after the other.
class connection
{
public:
    virtual ~connection() = default;

    // Until either side has enough. Once; whoever calls keeps the connection until it has ended.
    virtual awaitable<void> serve() = 0;

    // Since when the server waits for this client to send or to take something, rather than for a
    // handler of its own; never, when it does not.
    virtual time_point waits_since() const noexcept = 0;

    // Ends it now.
    virtual void close() = 0;
    // Ends it after the request that runs, or now when there is none.
    virtual void finish() = 0;
};

std::shared_ptr<connection> make_connection(asio::ip::tcp::socket socket,
                                            std::shared_ptr<const service> service);

}
