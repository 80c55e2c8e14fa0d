#pragma once

#include <cuebox/alerts/outlet.hpp>
#include <cuebox/runtime/tree.hpp>

#include <string>
#include <vector>

namespace cuebox::alerts {

struct dispatcher_options
{
    // How long alerts that still wait may take to be delivered when it stops.
    duration stop_within = std::chrono::seconds(5);
    telemetry::logger log{};
    transport send = http::post;
};

// What has become of the alerts for one sink. They add up: every alert is delivered, waiting, or
// dropped for one reason.
struct sink_counts
{
    std::string name{};
    std::uint64_t delivered = 0;
    // Attempts that came to nothing; an alert may have several, and be delivered after all.
    std::uint64_t failed = 0;
    // By drop_reason.
    std::array<std::uint64_t, drop_reasons> dropped{};
    std::uint64_t waiting = 0;

    std::uint64_t dropped_for(drop_reason why) const noexcept
    {
        return dropped[static_cast<std::size_t>(why)];
    }
};

// Brings alerts to their sinks, each with a queue and an actor of its own, so that one that hangs
// holds up neither the others nor whoever raised the alert. An alert that cannot be delivered is
// dropped and counted: the dead letter itself stays in the outbox.
//
//     alerts::dispatcher alerts{loop, read_alerts(config.alerts), {.log = log}};
//     alerts.start();
//     options.alerts = alerts.sink();      // what contexts are given
//     …
//     alerts.stop();                       // after the contexts have ended
//     co_await alerts.ended();
class dispatcher
{
public:
    // The loop must outlive it.
    dispatcher(loop& home, std::vector<sink_options> sinks, dispatcher_options options = {});
    // It must have ended, or never started.
    ~dispatcher();
    dispatcher(const dispatcher&) = delete;
    dispatcher& operator=(const dispatcher&) = delete;

    // From any thread. Stopping tries what waits once more, until its deadline; twice is fine.
    void start();
    void stop();
    awaitable<void> ended() const;
    bool has_ended() const noexcept;

    // Takes alerts from any thread, without waiting, for as long as anybody keeps it: after the end
    // they are dropped and counted.
    telemetry::alert_sink sink() const;

    // Any thread, at any time.
    std::vector<sink_counts> counts() const;

private:
    struct post_box;
    std::shared_ptr<std::vector<post_box>> boxes_;
    std::vector<std::unique_ptr<tree>> trees_;
};

}
