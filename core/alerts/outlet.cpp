#include <cuebox/alerts/outlet.hpp>
#include <cuebox/alerts/webhook_body.hpp>
#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/runtime/exit.hpp>
#include <cuebox/telemetry/trace_fields.hpp>

namespace cuebox::alerts {

namespace {

// A sink that is down says so once in a while, however many alerts it costs.
constexpr std::chrono::minutes complain_every{1};

struct parcel
{
    http::headers headers{};
    std::string body{};
    http::post_options options{};
};

parcel pack(const sink_options& to, const pending& alert)
{
    parcel made;
    made.options.within = to.timeout;
    if (const auto* sentry = std::get_if<sentry_sink>(&to.kind)) {
        made.options.content_type = sentry_content_type;
        made.body =
            print_sentry_envelope(*alert.what, sentry->to, sentry->from, alert.id, event::now());
        return made;
    }
    made.headers.emplace_back("Idempotency-Key", event::print_uuid(alert.id));
    made.body = print_webhook_body(*alert.what);
    return made;
}

std::shared_ptr<const http::post_target> find_target(const sink_options& to)
{
    if (const auto* sentry = std::get_if<sentry_sink>(&to.kind))
        return http::make_post_target(sentry->to.envelopes, sentry_headers(sentry->to));
    if (const auto* webhook = std::get_if<webhook_sink>(&to.kind))
        return http::make_post_target(webhook->to, webhook->headers);
    return nullptr;
}

void write_line(const telemetry::logger& log, const telemetry::alert& alert)
{
    telemetry::with_trace(log, alert.trace)
        .error("alert", {{"event_id", event::print_uuid(alert.event_id)},
                         {"row", event::print_uuid(alert.row)},
                         {"event_type", alert.event_type},
                         {"source", alert.source},
                         {"target", alert.target},
                         {"handler_name", alert.handler_name},
                         {"last_error", alert.last_error},
                         {"attempts", alert.attempts},
                         {"context", alert.context},
                         {"generation", alert.generation}});
}

// One alert in hand: whatever ends its delivery, it is counted once.
class in_hand
{
public:
    explicit in_hand(outlet_state& of) noexcept : of_(of) {}
    ~in_hand()
    {
        if (delivered_)
            ++of_.delivered;
        else
            of_.drop(why_);
        --of_.waiting;
    }
    in_hand(const in_hand&) = delete;
    in_hand& operator=(const in_hand&) = delete;

    void deliver() noexcept { delivered_ = true; }
    void drop(drop_reason why) noexcept { why_ = why; }

private:
    outlet_state& of_;
    bool delivered_ = false;
    drop_reason why_ = drop_reason::stopped;
};

awaitable<attempt> try_once(std::shared_ptr<outlet_state> state, pending alert)
{
    attempt result;
    try {
        parcel made = pack(state->options, alert);
        awaitable<http::answer> sending = state->send(
            state->target, std::move(made.headers), std::move(made.body), std::move(made.options));
        const http::answer got = co_await std::move(sending);
        result.status = got.status;
        result.retry_after =
            parse_retry_after(http::find_header(got.headers, "Retry-After"), event::now());
    }
    catch (...) {
        const auto failed = std::current_exception();
        if (cuebox::detail::is_cancellation(failed))
            throw;
        result.failure = message_of(failed);
    }
    co_return result;
}

}

outlet_state::outlet_state(sink_options options_, transport send_, telemetry::logger log_)
    : options(std::move(options_)),
      send(std::move(send_)),
      log(log_.with({{"sink", options.name}})),
      target(find_target(options))
{}

awaitable<void> outlet::run(self<messages>& me)
{
    while (auto message = co_await me.receive())
        co_await deliver(me, std::get<pending>(std::move(*message)));
    while (auto message = me.try_receive())
        co_await deliver(me, std::get<pending>(std::move(*message)));
}

awaitable<void> outlet::deliver(self<messages>& me, pending alert)
{
    in_hand mine(*state_);
    if (!state_->target) {
        write_line(state_->log, *alert.what);
        mine.deliver();
        co_return;
    }
    bool last_try = me.stopping();
    for (int made = 1;; ++made) {
        const attempt last = co_await try_once(state_, alert);
        const double jitter = me.loop().jitter();
        const next_step next = decide(last, made, state_->options.rules, jitter);
        if (std::holds_alternative<delivered>(next)) {
            mine.deliver();
            relax();
            co_return;
        }
        ++state_->failed;
        complain(me.now(), last);
        const auto* wait = std::get_if<retry_in>(&next);
        if (!wait) {
            mine.drop(std::get<give_up>(next).why);
            co_return;
        }
        if (last_try)
            co_return;
        const bool slept = co_await me.sleep(wait->delay);
        last_try = !slept;
    }
}

void outlet::complain(time_point now, const attempt& last)
{
    in_trouble_ = true;
    if (complained_ && now - *complained_ < complain_every)
        return;
    complained_ = now;
    const auto count = [this](drop_reason why) {
        return state_->dropped[static_cast<std::size_t>(why)].load();
    };
    state_->log.warning("alerts are not getting through",
                        {{"why", last.describe()},
                         {"waiting", state_->waiting.load()},
                         {"dropped_full", count(drop_reason::full)},
                         {"dropped_refused", count(drop_reason::refused)},
                         {"dropped_exhausted", count(drop_reason::exhausted)}});
}

// Said as often as the trouble was.
void outlet::relax()
{
    if (std::exchange(in_trouble_, false) && complained_)
        state_->log.debug("alerts get through again");
}

}
