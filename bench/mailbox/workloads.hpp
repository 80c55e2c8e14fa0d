#pragma once

#include <cstddef>
#include <cstdint>

// What every system is asked to do, so that its cases differ only in how that system does it.
namespace bench::mailbox {

namespace systems {
inline constexpr auto* cuebox = "cuebox";
inline constexpr auto* caf = "caf";
inline constexpr auto* asio_channel = "asio_channel";
inline constexpr auto* channel_by_hand = "channel+try";
}

namespace workloads {
// Two actors bounce one message on one thread; each hop counts.
inline constexpr auto* ping_pong = "ping_pong";
// Four producers and one consumer, all on one thread.
inline constexpr auto* one_thread = "one_thread";
// The same, with the producers on one thread and the consumer on another.
inline constexpr auto* two_threads = "two_threads";
// An actor is spawned, receives one message and stops; timed until the last one is gone.
inline constexpr auto* spawn_stop = "spawn_stop";
// A request, its reply, and a deadline on the wait, one after another; each round trip counts.
inline constexpr auto* ask = "ask";
}

inline constexpr std::uint64_t producers = 4;
inline constexpr std::uint64_t spawned = 100'000;
inline constexpr std::size_t mailbox_capacity = 1024; // where a system has such a thing

struct message
{
    std::uint64_t value;
};

}
