#pragma once

#include "scripted_relay.hpp"

#include <cuebox/actors/context.hpp>
#include <cuebox/handlers/registry.hpp>
#include <cuebox/runtime/stage.hpp>

namespace cuebox::actors::test {

struct order_placed
{
    static constexpr std::string_view event_type = "order.placed";
    static constexpr int event_version = 1;

    std::int64_t number{};
    std::string buyer;
};

// What a handler does with orders, and what it has seen of them.
struct clerk
{
    struct run
    {
        std::int64_t number = 0;
        int attempt = 0;
        time_point at{};
        event::uuid token{};
    };

    // Closed, a run stays at it until it is opened or the run is cancelled.
    gate desk{};
    // Orders with a lower number pass by it.
    std::int64_t waits_from = 0;
    bool failing = false;
    // The same, once past the desk.
    bool failing_late = false;
    // Swallows being cancelled, and returns as if nothing had been.
    bool stubborn = false;

    std::vector<run> begun{};
    std::vector<std::int64_t> done{};
    std::vector<std::int64_t> cancelled{};

    std::vector<time_point> times() const;
};

// A line of the log.
struct said
{
    telemetry::level level{};
    std::string message{};
    std::string text{}; // of its "error", "detail" or "actor" fields, in that order
};

// A context on a stage, with an outbox that follows a script. Whatever can happen without time
// passing has happened when a call returns.
class staged_context
{
public:
    explicit staged_context(settings rules = {}, handler_options how = {}, std::uint64_t seed = 1);
    ~staged_context() { stop(); }

    // Another handler of orders, before the start.
    void add(std::string name, clerk& who, handler_options how = {});
    void start();
    void run() { stage.run_until_idle(); }
    void advance(duration by);
    // Lets time pass until it has ended; how long that took.
    duration stop();
    void ask_to_stop();
    bool ended() const { return !context_ || context_->has_ended(); }

    claimer_load load() { return stage.run(context_->load()); }
    line_health line() { return stage.run(context_->line()); }
    cuebox::context& context() noexcept { return *context_; }

    std::size_t count_said(std::string_view message) const;
    // Lines that are warnings or worse.
    std::size_t count_trouble() const;
    // Of the actor of that name.
    std::uint64_t restarts(std::string_view actor) const;

    cuebox::stage stage;
    const std::shared_ptr<scripted_relay> relay;
    // The handler that is always there: "billing.mail".
    clerk mail;
    registry handlers;
    std::vector<said> lines;
    std::vector<telemetry::alert> alerts;

private:
    settings rules_;
    std::unique_ptr<cuebox::context> context_;
};

}
