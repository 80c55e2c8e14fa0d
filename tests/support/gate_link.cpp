#include "support/gate_link.hpp"

#include <boost/asio/buffer.hpp>

#include <algorithm>
#include <limits>

namespace cuebox::test {

using asio::ip::tcp;
using boost::system::error_code;

namespace {

// What a lane holds before the sender feels it.
constexpr std::size_t waiting_max = 256 * 1024;

void close(tcp::socket& socket, ending how)
{
    error_code none;
    if (how == ending::reset) {
        socket.set_option(asio::socket_base::linger{true, 0}, none);
    }
    else {
        // Closing with something unread would send a reset after all.
        socket.non_blocking(true, none);
        std::array<char, 4096> unread{};
        while (!none)
            socket.read_some(asio::buffer(unread), none);
        socket.shutdown(tcp::socket::shutdown_both, none);
    }
    socket.close(none);
}

}

gate_link::gate_link(tcp::socket client, gate_view& gate)
    : client_{std::move(client)},
      server_{client_.get_executor()},
      gate_{gate},
      up_{client_, server_},
      down_{server_, client_}
{}

void gate_link::start(const tcp::endpoint& target)
{
    client_.set_option(tcp::no_delay{true});
    lost_ = gate_.rules().half_open;
    read(way::up);
    if (lost_)
        return;
    server_.async_connect(target, [self = shared_from_this()](const error_code& failed) {
        if (self->ended_)
            return;
        if (failed)
            return self->end(ending::reset);
        self->server_.set_option(tcp::no_delay{true});
        self->connected_ = true;
        self->reconsider();
    });
}

void gate_link::resume()
{
    up_.stopped = false;
    down_.stopped = false;
    reconsider();
}

void gate_link::reconsider()
{
    const auto& fault = gate_.rules().fault;
    immune_ = client_gone_ || (fault && of(fault->of).sent > fault->after);
    const bool holds_something = !up_.waiting.empty() || !down_.waiting.empty();
    lost_ = lost_ || (gate_.rules().half_open && holds_something);
    for (const way which : {way::up, way::down}) {
        lane& lane = of(which);
        if (gate_.rules().of(which).delay == clock::duration::zero())
            for (auto& each : lane.waiting)
                each.due = clock::time_point::min();
        if (connected_)
            strike(which);
        lane.timer.cancel();
        read(which);
        send(which);
    }
}

void gate_link::end(ending how)
{
    if (ended_)
        return;
    ended_ = true;
    up_.timer.cancel();
    down_.timer.cancel();
    close(client_, how);
    close(server_, how);
    lose_client();
}

std::size_t gate_link::room(way which)
{
    const auto& fault = gate_.rules().fault;
    if (immune_ || !fault || fault->of != which)
        return std::numeric_limits<std::size_t>::max();
    return fault->after - std::min(fault->after, of(which).sent);
}

void gate_link::strike(way which)
{
    if (ended_ || lost_ || of(which).stopped || room(which) > 0)
        return;
    auto& fault = gate_.rules().fault;
    const auto cut = fault->cut;
    if (--fault->times == 0)
        fault.reset();
    if (cut)
        end(*cut);
    else
        of(which).stopped = true;
}

void gate_link::read(way which)
{
    lane& lane = of(which);
    const bool open = which == way::up || connected_;
    if (ended_ || !open || lane.reading || lane.read_all || lane.waiting_bytes >= waiting_max)
        return;
    lane.reading = true;
    lane.from.async_read_some(
        asio::buffer(lane.space),
        [self = shared_from_this(), which](const error_code& failed, std::size_t count) {
            self->on_read(which, failed, count);
        });
}

void gate_link::on_read(way which, const error_code& failed, std::size_t count)
{
    lane& lane = of(which);
    lane.reading = false;
    if (ended_)
        return;
    lost_ = lost_ || gate_.rules().half_open;
    if (failed) {
        lane.read_all = true;
        if (which == way::up)
            lose_client();
        if (lost_)
            return;
        if (failed != asio::error::eof)
            return end(ending::reset);
    }
    else if (lost_) {
        gate_.swallowed(count);
        return read(which);
    }
    lane.waiting.push_back(
        {.due = clock::now() + gate_.rules().of(which).delay, .bytes = {lane.space.data(), count}});
    lane.waiting_bytes += count;
    read(which);
    send(which);
}

void gate_link::send(way which)
{
    lane& lane = of(which);
    if (ended_ || lost_ || !connected_ || lane.sending || lane.stopped || lane.waiting.empty())
        return;
    const piece& next = lane.waiting.front();
    if (next.due > clock::now()) {
        lane.timer.expires_at(next.due);
        lane.timer.async_wait([self = shared_from_this(), which](const error_code& cancelled) {
            if (!cancelled)
                self->send(which);
        });
        return;
    }
    if (next.bytes.empty())
        return send_end(which);

    const std::size_t count =
        std::min({next.bytes.size(), gate_.rules().of(which).piece_max, room(which)});
    lane.sending = true;
    lane.to.async_write_some(
        asio::buffer(next.bytes.data(), count),
        [self = shared_from_this(), which](const error_code& failed, std::size_t sent) {
            self->on_sent(which, failed, sent);
        });
}

void gate_link::send_end(way which)
{
    lane& lane = of(which);
    error_code none;
    lane.to.shutdown(tcp::socket::shutdown_send, none);
    lane.waiting.pop_front();
    lane.sent_all = true;
    if (up_.sent_all && down_.sent_all)
        end(ending::finish);
}

void gate_link::on_sent(way which, const error_code& failed, std::size_t count)
{
    lane& lane = of(which);
    lane.sending = false;
    if (ended_)
        return;
    if (failed)
        return end(ending::reset);
    lane.sent += count;
    lane.waiting_bytes -= count;
    lane.waiting.front().bytes.erase(0, count);
    if (lane.waiting.front().bytes.empty())
        lane.waiting.pop_front();
    gate_.forwarded(which, count);
    strike(which);
    read(which);
    send(which);
}

void gate_link::lose_client()
{
    if (!client_gone_)
        gate_.client_gone();
    client_gone_ = true;
}

}
