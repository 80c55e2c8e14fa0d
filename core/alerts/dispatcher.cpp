#include <cuebox/alerts/dispatcher.hpp>
#include <cuebox/alerts/webhook_body.hpp>

#include <boost/asio/ip/host_name.hpp>

namespace cuebox::alerts {

// The way into one sink.
struct dispatcher::post_box
{
    std::shared_ptr<outlet_state> state;
    address<outlet_messages> to;

    void put(const pending& alert) const noexcept
    {
        // Counted here, because a mailbox's own bound is not exact.
        if (state->waiting.fetch_add(1) >= state->options.capacity) {
            --state->waiting;
            state->drop(drop_reason::full);
            return;
        }
        sent result = sent::full;
        try {
            result = to.try_send(pending(alert));
        }
        catch (const std::exception&) {
            result = sent::full; // There is no memory for it.
        }
        if (result == sent::accepted)
            return;
        --state->waiting;
        state->drop(result == sent::gone ? drop_reason::stopped : drop_reason::full);
    }

    void lose() const noexcept { state->drop(drop_reason::full); }
};

namespace {

// By how much a mailbox may be short of its capacity.
constexpr std::size_t mailbox_slack = 64;

void name_the_machine(sink_options& of)
{
    auto* sentry = std::get_if<sentry_sink>(&of.kind);
    if (!sentry || !sentry->from.server_name.empty())
        return;
    boost::system::error_code nameless;
    sentry->from.server_name = asio::ip::host_name(nameless);
}

}

dispatcher::dispatcher(loop& home, std::vector<sink_options> sinks, dispatcher_options options)
    : boxes_(std::make_shared<std::vector<post_box>>())
{
    for (sink_options& each : sinks) {
        name_the_machine(each);
        auto state = std::make_shared<outlet_state>(std::move(each), options.send, options.log);
        // A tree for each: they stop at the same time, not one after the other.
        auto& tree =
            *trees_.emplace_back(std::make_unique<cuebox::tree>(home, state->options.name));
        tree.report_to([log = state->log](const report& report) {
            if (report.what == report::kind::failed || report.what == report::kind::escalated)
                log.error("alert sink",
                          {{"what", to_string(report.what)}, {"detail", report.detail}});
        });
        const child_options child{.stop_deadline = options.stop_within,
                                  .capacity = state->options.capacity + mailbox_slack};
        auto to = tree.add<outlet>("outlet", child, state);
        boxes_->push_back({std::move(state), std::move(to)});
    }
}

dispatcher::~dispatcher() = default;

void dispatcher::start()
{
    for (const auto& each : trees_)
        each->start();
}

void dispatcher::stop()
{
    for (const auto& each : trees_)
        each->stop();
}

awaitable<void> dispatcher::ended() const
{
    for (const auto& each : trees_)
        co_await each->ended();
}

bool dispatcher::has_ended() const noexcept
{
    return std::ranges::all_of(trees_, [](const auto& each) { return each->has_ended(); });
}

telemetry::alert_sink dispatcher::sink() const
{
    return [boxes = boxes_](const telemetry::alert& alert) {
        try {
            const pending made{std::make_shared<const telemetry::alert>(trim(alert)),
                               event::new_event_id()};
            for (const post_box& each : *boxes)
                each.put(made);
        }
        catch (const std::exception&) {
            for (const post_box& each : *boxes)
                each.lose();
        }
    };
}

std::vector<sink_counts> dispatcher::counts() const
{
    std::vector<sink_counts> all;
    for (std::size_t i = 0; i < boxes_->size(); ++i) {
        const outlet_state& state = *(*boxes_)[i].state;
        sink_counts& each = all.emplace_back();
        each.name = state.options.name;
        each.delivered = state.delivered;
        each.failed = state.failed;
        for (std::size_t why = 0; why < drop_reasons; ++why)
            each.dropped[why] = state.dropped[why];
        // What was left in a mailbox when its outlet ended will not be delivered any more.
        const bool over = trees_[i]->has_ended();
        auto& rest =
            over ? each.dropped[static_cast<std::size_t>(drop_reason::stopped)] : each.waiting;
        rest += state.waiting;
    }
    return all;
}

}
