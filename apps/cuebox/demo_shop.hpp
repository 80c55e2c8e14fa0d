#pragma once

#include <cuebox/handlers/registry.hpp>
#include <cuebox/outbox/publisher.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>

namespace cuebox::cli {

// The demo's events. `fails` is how often the handler is to fail before it succeeds.
struct demo_order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::int64_t number{};
    std::int64_t cents{};
    int fails{};
};

struct demo_parcel_sent
{
    static constexpr std::string_view event_type = "parcel.sent";
    static constexpr int event_version = 1;

    std::int64_t number{};
    std::string address;
    int fails{};
};

// What is outside of the database: it takes its time, and knows only some addresses.
struct demo_carrier
{
    std::set<std::string, std::less<>> addresses{"Main Street 1"};
    // How often each parcel was handed over.
    std::map<std::int64_t, int> parcels;
};

// A shop that publishes orders and parcels, and the handlers for both: orders go into a ledger by a
// transactional handler, parcels to the carrier by a leased one.
class demo_shop
{
public:
    // What was published and is to be expected of the handlers.
    struct plan
    {
        std::int64_t orders = 0;
        std::int64_t parcels = 0;
        std::int64_t cents = 0;
        std::int64_t failing = 0; // Events that fail at first,
        std::int64_t retries = 0; // and how many retries they need together.
    };

    explicit demo_shop(std::int64_t generation)
        : publisher_({.source = "shop", .generation = generation})
    {}

    registry handlers();

    // Orders and parcels in turn, in one transaction. One in `fails_each` fails at first, and every
    // fifth of those twice; 0 is none. The caller awaits it.
    pg::awaitable<void> publish(pg::connection& database, std::size_t events,
                                std::size_t fails_each = 0);
    // A parcel to an address that the carrier may not know.
    pg::awaitable<event::uuid> send_parcel(pg::connection& database, std::string address);

    const plan& planned() const noexcept { return planned_; }
    demo_carrier& carrier() noexcept { return carrier_; }

private:
    outbox::outgoing next_event(int fails);

    outbox::publisher publisher_;
    std::int64_t number_ = 0;
    plan planned_;
    demo_carrier carrier_;
};

}
