#pragma once

#include <cuebox/outbox/pg_relay.hpp>

namespace cuebox::outbox {

// Private to this room: a worker's session in Postgres.
class pg_line final : public line
{
public:
    // Tries whether it hears; then registers the worker, subscribes its context and listens, in
    // this order.
    static pg::awaitable<std::unique_ptr<line>> open(relay_options options,
                                                     std::vector<std::string> event_types);

    const std::string& deaf_because() const override { return deaf_because_; }
    pg::awaitable<void> heard() override;
    pg::awaitable<void> check(worker_report report) override;
    pg::awaitable<void> listen_also(std::string channel) override;
    pg::awaitable<void> hang_up() override;

    pg_line(pg::connection connection, relay_options options);

private:
    pg::awaitable<void> listen();

    pg::connection connection_;
    relay_options options_;
    std::vector<std::string> channels_;
    std::string deaf_because_;
};

}
