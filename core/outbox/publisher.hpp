#pragma once

#include <cuebox/event/encode.hpp>
#include <cuebox/event/typed_payload.hpp>
#include <cuebox/outbox/outgoing.hpp>
#include <cuebox/pg/transaction.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct pg_conn; // libpq's PGconn

namespace cuebox::outbox {

class waker;

struct publisher_options
{
    // The producing context, as every event of this publisher names it.
    std::string source{};
    // The deployment; none is CUEBOX_GENERATION, else SPECTRAL_GENERATION.
    std::optional<std::int64_t> generation{};
    // The trace that is current where publish is called; none is no trace.
    std::function<std::optional<event::traceparent>()> current_trace{};
    // Makes every row quiet: no NOTIFY in the producer's transaction, one coalesced wake after it.
    // For producers of thousands of events a second. It must outlive the publisher's transactions.
    outbox::waker* waker = nullptr;
    // A line for each event that was committed; says nothing unless given.
    telemetry::logger log{};
    // Takes a span for each. With it publishing opens a span of its own in the current trace, or
    // begins one, and handling continues that; without, the event carries the current one.
    telemetry::span_sink spans{};
};

// Writes events into the outbox, inside the transaction of the business change they tell of.
//
//     const outbox::publisher publisher{{.source = "shop"}};
//     …
//     const order_placed placed{.number = 7};
//     co_await publisher.publish(work, placed);
//     co_await work.commit();
//
// Whatever is wrong with an event is thrown before the database sees any of it, so the transaction
// stays usable: event::payload_error, event::envelope_error or publish_error. Immutable once made;
// to be shared between threads freely.
class publisher
{
public:
    // Throws publish_error when the source or the generation is missing or wrong.
    explicit publisher(publisher_options options);

    // Checks an event and dresses it up: id, key, time, trace, generation and channel.
    template <event::typed_payload T>
    outgoing prepare(const T& payload, const event_options& options = {}) const
    {
        return prepare(T::event_type, T::event_version, event::encode(payload), options);
    }
    // The same for a payload that is JSON text already, which is checked too.
    outgoing prepare_json(std::string_view type, int version, std::string payload,
                          const event_options& options = {}) const;

    // One event; gives its id.
    template <event::typed_payload T>
    pg::awaitable<event::uuid> publish(pg::transaction& within, const T& payload) const
    {
        return publish(within, prepare(payload));
    }
    // GCC 12 destroys aggregates twice that are made within a co_await expression: give it options,
    // and payloads, that have a name.
    template <event::typed_payload T>
    pg::awaitable<event::uuid> publish(pg::transaction& within, const T& payload,
                                       const event_options& options) const
    {
        return publish(within, prepare(payload, options));
    }
    pg::awaitable<event::uuid> publish(pg::transaction& within, outgoing event) const;

    // Many events in one statement, and one NOTIFY per channel instead of one per event.
    pg::awaitable<void> publish(pg::transaction& within, std::vector<outgoing> events) const;

    // Blocking, on a connection of the caller's own, which must have a transaction open. Quiet
    // publishers call wake() once that has committed.
    template <event::typed_payload T>
    event::uuid publish(pg_conn* within, const T& payload, const event_options& options = {}) const
    {
        return publish(within, prepare(payload, options));
    }
    event::uuid publish(pg_conn* within, const outgoing& event) const;
    void publish(pg_conn* within, std::span<const outgoing> events) const;

    // After the commit of what went by another way than pg::transaction. Does nothing for loud
    // ones.
    void wake(std::string_view channel) const;

    const std::string& source() const noexcept { return options_.source; }
    std::int64_t generation() const noexcept { return generation_; }

private:
    outgoing prepare(std::string_view type, int version, std::string payload,
                     const event_options& options) const;
    void write(pg_conn* within, std::span<const outgoing> events) const;
    void wake_after_commit(pg::transaction& within, const std::string& channel) const;

    publisher_options options_;
    std::int64_t generation_;
    std::shared_ptr<const outbox::witness> witness_;
};

}
