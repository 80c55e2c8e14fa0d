#pragma once

#include <cuebox/event/uuid.hpp>
#include <cuebox/handlers/registry.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <string>
#include <vector>

namespace cuebox::handlers::test {

struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::int64_t number{};
};

inline handling::arrival arrive(std::string payload, std::string type = "order.placed")
{
    event::envelope envelope;
    envelope.event_id = event::new_event_id();
    envelope.event_type = std::move(type);
    envelope.payload.text = std::move(payload);
    handling::arrival made;
    made.envelope = std::make_shared<const event::envelope>(std::move(envelope));
    return made;
}

inline void run(awaitable<void> work)
{
    asio::io_context io{1};
    auto ended = asio::co_spawn(io, std::move(work), asio::use_future);
    io.run();
    ended.get();
}

// Calls a leased handler as a worker does.
inline void call(const handling::handler& handler, handling::arrival event)
{
    run(std::get<handling::leased_call>(handler.call)(std::move(event)));
}

}
