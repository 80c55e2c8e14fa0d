#pragma once

#include <cuebox/event/decode.hpp>
#include <cuebox/event/typed_payload.hpp>
#include <cuebox/handlers/own_transaction.hpp>
#include <cuebox/handling/arrival.hpp>

#include <memory>
#include <stdexcept>
#include <string>

namespace cuebox {

// What comes with every event.
class delivery_base
{
public:
    const event::envelope& envelope() const noexcept { return *arrived_.envelope; }
    const event::uuid& event_id() const noexcept { return arrived_.envelope->event_id; }
    // 1 for the first run, 2 for the first retry…
    int attempt() const noexcept { return arrived_.attempt; }
    // A fencing token: a later claim of the event has a greater one. Nil in a transaction, which
    // needs none.
    const event::uuid& claim_token() const noexcept { return arrived_.claim_token; }
    // When the handler is cancelled if it has not returned by then.
    time_point deadline() const noexcept { return arrived_.deadline; }
    // The span of this run: events that are published with it as their trace continue it.
    const std::optional<event::traceparent>& trace() const noexcept { return arrived_.trace; }
    // Its lines carry the event's id and type and the handler's name.
    const telemetry::logger& log() const noexcept { return arrived_.log; }
    // For loops that compute; what a handler awaits is cancelled by itself.
    const std::stop_token& stop() const noexcept { return arrived_.stop; }
    // For a leased handler: a short transaction of its own. A transactional one has what it is
    // given, and is refused.
    awaitable<own_transaction> begin() const
    {
        if (!arrived_.begin)
            throw std::logic_error("this delivery opens no transactions: it is in one");
        return open((*arrived_.begin)());
    }

    // Runs what blocks or computes on a thread of the context, and gives what it returns: the lease
    // is kept meanwhile. It may take a std::stop_token, of which a stop is requested when the
    // handler is cancelled; the wait ends when it has returned.
    //
    //     const auto page = co_await order.offload([&] { return render(*order); });
    template <class Work>
    [[nodiscard]] auto offload(Work work) const
    {
        if (!arrived_.threads)
            throw std::logic_error("this delivery has no threads to offload to: it came without a "
                                   "context");
        return arrived_.threads->run(std::move(work));
    }

protected:
    explicit delivery_base(handling::arrival&& arrived) : arrived_(std::move(arrived)) {}
    ~delivery_base() = default;
    delivery_base(const delivery_base&) = default;
    delivery_base& operator=(const delivery_base&) = default;

    handling::arrival arrived_;

private:
    static awaitable<own_transaction>
    open(awaitable<std::unique_ptr<outbox::locked_batch>> beginning)
    {
        auto batch = co_await std::move(beginning);
        co_return own_transaction(std::move(batch));
    }
};

// An event in a handler's hands: its payload, decoded, and what came with it. Cheap to copy.
//
//     cuebox::awaitable<void> bill(cuebox::delivery<order_placed> order, pg::transaction& work)
//     {
//         co_await work.execute(insert_invoice, order->number, order->cents);
//     }
template <class T>
class delivery : public delivery_base
{
public:
    // Throws event::payload_error when the payload is not a T.
    explicit delivery(handling::arrival arrived)
        : delivery_base(std::move(arrived)),
          payload_(std::make_shared<const T>(event::decode<T>(arrived_.envelope->payload.text)))
    {}

    const T& payload() const noexcept { return *payload_; }
    const T* operator->() const noexcept { return payload_.get(); }
    const T& operator*() const noexcept { return *payload_; }

private:
    std::shared_ptr<const T> payload_;
};

// The payload as the text it came as: delivery<raw_payload>, for handlers of any event type.
struct raw_payload;

template <>
class delivery<raw_payload> : public delivery_base
{
public:
    explicit delivery(handling::arrival arrived) : delivery_base(std::move(arrived)) {}

    const std::string& payload() const noexcept { return arrived_.envelope->payload.text; }
};

}
