#include "staged_context.hpp"

#include <boost/system/system_error.hpp>

#include <algorithm>
#include <stdexcept>

namespace cuebox::actors::test {

namespace {

awaitable<void> work_on(clerk& who, stage& where, delivery<order_placed> order)
{
    who.begun.push_back({.number = order->number,
                         .attempt = order.attempt(),
                         .at = where.now(),
                         .token = order.claim_token()});
    if (who.failing)
        throw std::runtime_error("attempt " + std::to_string(order.attempt()));
    try {
        if (order->number >= who.waits_from)
            co_await who.desk.pass();
    }
    catch (const boost::system::system_error&) {
        who.cancelled.push_back(order->number);
        if (!who.stubborn)
            throw;
    }
    if (who.failing_late)
        throw std::runtime_error("attempt " + std::to_string(order.attempt()));
    who.done.push_back(order->number);
}

std::string detail_of(const telemetry::line& line)
{
    for (const std::string_view key : {"error", "detail", "actor"})
        for (const telemetry::field& each : line.fields)
            if (each.key == key && std::holds_alternative<std::string>(each.value))
                return std::get<std::string>(each.value);
    return {};
}

}

std::vector<time_point> clerk::times() const
{
    std::vector<time_point> when;
    for (const run& each : begun)
        when.push_back(each.at);
    return when;
}

staged_context::staged_context(settings rules, handler_options how, std::uint64_t seed)
    : stage(seed),
      relay(std::make_shared<scripted_relay>(stage)),
      rules_(rules)
{
    // No machine is as young as a clock that has just been made.
    stage.advance(std::chrono::hours(1));
    add("billing.mail", mail, std::move(how));
}

void staged_context::add(std::string name, clerk& who, handler_options how)
{
    handlers.on<order_placed>(
        std::move(name),
        [this, &who](delivery<order_placed> order) {
            return work_on(who, stage, std::move(order));
        },
        std::move(how));
}

void staged_context::start()
{
    context_options options;
    options.name = "billing";
    options.generation = 7;
    options.settings = rules_;
    options.log = telemetry::logger(
        [this](const telemetry::line& line) {
            lines.push_back({line.level, std::string(line.message), detail_of(line)});
        },
        telemetry::level::info);
    options.alert = [this](const telemetry::alert& raised) { alerts.push_back(raised); };
    context_ = std::make_unique<cuebox::context>(stage.loop(), relay, handlers.take(), options);
    context_->start();
    run();
}

void staged_context::advance(duration by)
{
    stage.advance(by);
    run();
}

void staged_context::ask_to_stop()
{
    context_->stop();
    run();
}

duration staged_context::stop()
{
    const time_point began = stage.now();
    if (!context_)
        return {};
    ask_to_stop();
    while (!context_->has_ended()) {
        if (stage.now() - began > std::chrono::minutes(5))
            throw std::logic_error("the context does not stop");
        advance(std::chrono::milliseconds(100));
    }
    return stage.now() - began;
}

std::size_t staged_context::count_said(std::string_view message) const
{
    return static_cast<std::size_t>(std::ranges::count(lines, message, &said::message));
}

std::size_t staged_context::count_trouble() const
{
    return static_cast<std::size_t>(std::ranges::count_if(
        lines, [](const said& each) { return each.level >= telemetry::level::warning; }));
}

std::uint64_t staged_context::restarts(std::string_view actor) const
{
    for (const snapshot& each : context_->tree().children)
        if (each.name == actor)
            return each.restarts;
    throw std::logic_error("no such actor");
}

}
