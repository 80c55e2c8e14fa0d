#pragma once

#include <cuebox/alerts/sink_options.hpp>
#include <cuebox/http/post.hpp>
#include <cuebox/runtime/self.hpp>
#include <cuebox/telemetry/alert.hpp>
#include <cuebox/telemetry/log.hpp>

#include <array>
#include <atomic>
#include <functional>
#include <memory>

namespace cuebox::alerts {

// How a parcel travels: http::post, or what a test puts in its place.
using transport = std::function<awaitable<http::answer>(
    std::shared_ptr<const http::post_target>, http::headers, std::string, http::post_options)>;

// An alert on its way to one sink.
struct pending
{
    std::shared_ptr<const telemetry::alert> what;
    // Of this alert, the same over its attempts: a receiver can tell that it has it already.
    event::uuid id;
};

// What an outlet and those who fill and count it share. Any thread.
struct outlet_state
{
    outlet_state(sink_options options_, transport send_, telemetry::logger log_);

    const sink_options options;
    const transport send;
    const telemetry::logger log;
    const std::shared_ptr<const http::post_target> target; // None for the log.

    std::atomic<std::size_t> waiting{0};
    std::atomic<std::uint64_t> delivered{0};
    std::atomic<std::uint64_t> failed{0};
    std::array<std::atomic<std::uint64_t>, drop_reasons> dropped{};

    void drop(drop_reason why) noexcept { ++dropped[static_cast<std::size_t>(why)]; }
};

using outlet_messages = messages<pending>;

// Delivers alerts to one sink, one after the other.
class outlet
{
public:
    using messages = outlet_messages;
    static constexpr std::string_view kind = "alert sink";

    explicit outlet(std::shared_ptr<outlet_state> state) : state_(std::move(state)) {}

    // Asked to stop, it tries what still waits once each, until its deadline cancels it.
    awaitable<void> run(self<messages>& me);

private:
    awaitable<void> deliver(self<messages>& me, pending alert);
    void complain(time_point now, const attempt& last);
    void relax();

    std::shared_ptr<outlet_state> state_;
    std::optional<time_point> complained_;
    bool in_trouble_ = false;
};

}
