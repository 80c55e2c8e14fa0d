#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <limits>
#include <optional>

namespace cuebox::test {

// Up is from the client to the server.
enum class way : std::size_t
{
    up,
    down
};

// How a connection is cut: RST, as when a host or a firewall gives up on it, or an orderly FIN.
enum class ending
{
    reset,
    finish
};

// What a gate does to the bytes of one way.
struct way_rule
{
    // Each byte arrives this much later; throughput stays.
    std::chrono::steady_clock::duration delay{};
    // At most this many bytes are sent at a time.
    std::size_t piece_max = std::numeric_limits<std::size_t>::max();
};

// What happens to a connection once so many of its bytes have gone one way.
struct gate_fault
{
    way of = way::up;
    std::size_t after = 0;
    // Nothing: it stops there, open on both sides.
    std::optional<ending> cut{};
    // How many connections it hits before everything passes again.
    std::size_t times = 1;
};

struct gate_rules
{
    way_rule& of(way which) { return ways[static_cast<std::size_t>(which)]; }

    std::array<way_rule, 2> ways{};
    // Everything is read and nothing forwarded, not even an end.
    bool half_open = false;
    std::optional<gate_fault> fault{};
};

}
