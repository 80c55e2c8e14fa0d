#pragma once

#include <cuebox/event/envelope.hpp>
#include <cuebox/event/trace.hpp>
#include <cuebox/outbox/witness.hpp>

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace cuebox::outbox {

// What a producer may say about one event; every field has its default.
struct event_options
{
    // The one context it is for; none is every context that subscribes.
    std::optional<std::string> target{};
    // Two events with one key are the same to a handler; none is the event's id.
    std::optional<std::string> key{};
    // The tenant or domain.
    std::optional<event::uuid> domain_id{};
    // A processing class: the event goes to the channel outbox_gen_<N>_<class>.
    std::string processing_class{};
    // Not to be handled before this has passed.
    std::chrono::microseconds delay{};
    // What retention may one day ask about: standard, personal or audit.
    std::string content_class = "standard";
    // When it happened; none is now.
    std::optional<event::timestamp> occurred_at{};
    // The span in which it is published; none is the publisher's current_trace.
    std::optional<event::traceparent> trace{};
    // For another generation than the publisher's own.
    std::optional<std::int64_t> generation{};
};

// An event that has passed every check, ready to be written: nothing about it can upset the
// transaction it goes into.
struct outgoing
{
    event::envelope envelope{};
    std::string content_class = "standard";
    std::string channel{};
    std::int64_t generation{};
    std::chrono::microseconds delay{};
    // Written without a NOTIFY of its own; whoever writes it sends a wake after the commit.
    bool quiet = false;
    // Who tells of it once it is committed; none: nobody asked. The span of publishing it, which is
    // in the envelope, began then, and was caused by that one.
    std::shared_ptr<const outbox::witness> witness{};
    event::timestamp prepared_at{};
    std::array<std::uint8_t, 8> caused_by{};
};

}
