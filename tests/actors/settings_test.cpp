#include "staged_context.hpp"

#include <cuebox/actors/context.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

using namespace cuebox;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

std::string fault_of(void (*change)(actors::settings&))
{
    actors::settings rules;
    change(rules);
    const auto fault = find_fault(rules);
    return fault ? std::string(fault->first) : "none";
}

awaitable<void> mail(delivery<raw_payload>)
{
    co_return;
}

// What a context of these options says when it is made.
std::string refusal(context_options options, bool with_handlers = true)
{
    cuebox::stage stage;
    registry handlers;
    if (with_handlers)
        handlers.on_any("billing.mail", {"a"}, &mail);
    try {
        const context made(stage.loop(), std::make_shared<scripted_relay>(stage), handlers.take(),
                           std::move(options));
    }
    catch (const std::exception& error) {
        return error.what();
    }
    return "not refused";
}

}

TEST_CASE("each setting that breaks a rule is told by the name it has in a config", "[actors]")
{
    struct row
    {
        const char* name;
        void (*change)(actors::settings&);
    };
    const row table[] = {
        {"none", [](auto&) {}},
        {"workers", [](auto& rules) { rules.workers = 0; }},
        {"workers", [](auto& rules) { rules.workers = 100'001; }},
        {"lanes", [](auto& rules) { rules.lanes = 0; }},
        {"lanes", [](auto& rules) { rules.lanes = 257; }},
        {"batch_min", [](auto& rules) { rules.claim.batch_min = 0; }},
        {"batch_max", [](auto& rules) { rules.claim.batch_max = 9; }},
        {"batch_max", [](auto& rules) { rules.claim.batch_max = 100'001; }},
        {"batch_time", [](auto& rules) { rules.claim.batch_time = 0ms; }},
        {"lease", [](auto& rules) { rules.lease = 0ms; }},
        {"lease", [](auto& rules) { rules.lease = rules.heartbeat; }},
        {"safety_poll", [](auto& rules) { rules.safety_poll = 0ms; }},
        {"poll", [](auto& rules) { rules.poll = 0ms; }},
        {"heartbeat", [](auto& rules) { rules.heartbeat = 0ms; }},
        {"heartbeat", [](auto& rules) { rules.heartbeat = 5s; }},
        {"none", [](auto& rules) { rules.heartbeat = 4999ms; }},
        {"reconnect_base", [](auto& rules) { rules.reconnect.base = 0ms; }},
        {"reconnect_cap", [](auto& rules) { rules.reconnect.cap = 999ms; }},
        {"reconnect_cap", [](auto& rules) { rules.reconnect.cap = 2h; }},
        {"reap", [](auto& rules) { rules.reap = 0ms; }},
        {"gauge", [](auto& rules) { rules.gauge = 0ms; }},
        {"sweep", [](auto& rules) { rules.sweep = 0ms; }},
        {"mark_after", [](auto& rules) { rules.mark_after = 0ms; }},
        {"careful", [](auto& rules) { rules.careful = -1ms; }},
        {"stop_deadline", [](auto& rules) { rules.stop_deadline = -1ms; }},
        {"none", [](auto& rules) { rules.stop_deadline = 0ms; }},
    };

    for (const row& each : table)
        CHECK(fault_of(each.change) == each.name);
}

TEST_CASE("a context refuses what it cannot do without, and names the option", "[actors]")
{
    context_options slow{.name = "billing"};
    slow.settings.heartbeat = 20s;
    context_options shrinking{.name = "billing"};
    shrinking.backoff.multiplier = 0;
    context_options unlimited{.name = "billing"};
    unlimited.intensity.within = 0s;
    context_options forgetful{.name = "billing"};
    forgetful.settings.retention = outbox::retention{.handled_active = 1h};

    CHECK(refusal({.name = "billing"}) == "not refused");
    CHECK(refusal({}).starts_with("a context has no name: set context_options::name"));
    CHECK(refusal({.name = "billing"}, false) ==
          "context \"billing\": it has no handlers: give it at least one");
    CHECK(refusal(slow).starts_with("context \"billing\": settings.heartbeat: must be below 5s"));
    CHECK(refusal(shrinking).starts_with("context \"billing\": backoff.multiplier: must be at"));
    CHECK(refusal(unlimited).starts_with("context \"billing\": intensity.within: must be longer"));
    CHECK(refusal(forgetful).starts_with("context \"billing\": settings.retention: handled"));
}

TEST_CASE("a context that was given no log tells warnings and dead letters all the same",
          "[actors]")
{
    const context_options options;

    CHECK(options.log.says(telemetry::level::error));
    CHECK(options.log.says(telemetry::level::warning));
    CHECK_FALSE(options.log.says(telemetry::level::info));
}
