#pragma once

#include "support/gate_rules.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace cuebox::test {

class gate_core;

// A loopback proxy before the cluster's TCP port that makes trouble on demand. It runs on a thread
// of its own; every call takes effect before it returns, on open connections as well as on new
// ones. What is not cut or swallowed is not lost: after pass() it arrives.
class tcp_gate
{
public:
    using duration = std::chrono::steady_clock::duration;

    // To the cluster of the run, or to any port of 127.0.0.1.
    tcp_gate();
    explicit tcp_gate(int target_port);
    ~tcp_gate();
    tcp_gate(const tcp_gate&) = delete;
    tcp_gate& operator=(const tcp_gate&) = delete;

    int port() const noexcept;
    // To a database of the cluster, through the gate.
    std::string conninfo(std::string_view database) const;

    // Everything flows again, except on connections that were half-open: those stay as they are.
    void pass();
    void delay(duration each_way);
    void delay(way which, duration late);
    // One byte at a time, both ways.
    void trickle();
    // As behind a firewall that forgot the connection: accepts, takes every byte, answers none.
    void half_open();
    // The connections that are open now.
    void cut(ending how = ending::reset);
    // New connections are refused, until accept(); open ones are left alone.
    void refuse();
    void accept();
    // Once exactly so many bytes of a connection have passed that way, it is cut, or stops. This
    // happens to the next `times` connections that get that far; one that is further already is
    // spared.
    void cut_after(way which, std::size_t bytes, ending how = ending::reset, std::size_t times = 1);
    void stop_after(way which, std::size_t bytes, std::size_t times = 1);

    // Clients connected now, and ever.
    std::size_t connections() const;
    std::size_t accepted() const;
    std::size_t bytes(way which) const;
    std::size_t swallowed() const;

    // True once it is so; false when the time is up.
    bool wait_until_connections(std::size_t count, duration longest) const;
    bool wait_until_accepted(std::size_t at_least, duration longest) const;
    bool wait_until_bytes(way which, std::size_t at_least, duration longest) const;
    bool wait_until_swallowed(std::size_t at_least, duration longest) const;

private:
    std::unique_ptr<gate_core> core_;
};

}
