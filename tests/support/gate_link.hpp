#pragma once

#include "support/gate_rules.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

#include <array>
#include <deque>
#include <memory>
#include <string>

namespace cuebox::test {

namespace asio = boost::asio;

// What a link needs of its gate, on the gate's thread.
class gate_view
{
public:
    virtual gate_rules& rules() = 0;
    virtual void forwarded(way which, std::size_t bytes) = 0;
    virtual void swallowed(std::size_t bytes) = 0;
    virtual void client_gone() = 0;

protected:
    ~gate_view() = default;
};

// One connection through the gate: two sockets, and per way what was read and is not yet sent on.
class gate_link : public std::enable_shared_from_this<gate_link>
{
public:
    gate_link(asio::ip::tcp::socket client, gate_view& gate);

    void start(const asio::ip::tcp::endpoint& target);
    // The rules are others now.
    void reconsider();
    // What a fault has stopped goes on.
    void resume();
    void end(ending how);
    bool ended() const noexcept { return ended_; }

private:
    using clock = std::chrono::steady_clock;

    // A piece on its way; an empty one is the end of the stream.
    struct piece
    {
        clock::time_point due{};
        std::string bytes{};
    };
    struct lane
    {
        lane(asio::ip::tcp::socket& source, asio::ip::tcp::socket& sink)
            : from{source},
              to{sink},
              timer{source.get_executor()}
        {}

        asio::ip::tcp::socket& from;
        asio::ip::tcp::socket& to;
        asio::steady_timer timer;
        std::array<char, 4096> space{};
        std::deque<piece> waiting{};
        std::size_t waiting_bytes = 0;
        std::size_t sent = 0;
        bool reading = false;
        bool sending = false;
        bool read_all = false;
        bool sent_all = false;
        bool stopped = false;
    };

    lane& of(way which) { return which == way::up ? up_ : down_; }
    // How much may still go this way before a fault strikes.
    std::size_t room(way which);
    void strike(way which);
    void read(way which);
    void on_read(way which, const boost::system::error_code& failed, std::size_t count);
    void send(way which);
    void send_end(way which);
    void on_sent(way which, const boost::system::error_code& failed, std::size_t count);
    void lose_client();

    asio::ip::tcp::socket client_;
    asio::ip::tcp::socket server_;
    gate_view& gate_;
    lane up_;
    lane down_;
    bool connected_ = false;
    // Bytes were swallowed: what follows would make no sense, so nothing is forwarded any more.
    bool lost_ = false;
    bool client_gone_ = false;
    // The client had gone, or the connection was further already, when the fault was set: it is
    // meant for others.
    bool immune_ = false;
    bool ended_ = false;
};

}
