#include <cuebox/config/read.hpp>
#include <cuebox/handlers/kinds/kind.hpp>
#include <cuebox/handlers/level_names.hpp>

namespace cuebox::handlers {

struct log_params
{
    telemetry::level level = telemetry::level::info;

    static constexpr auto& read_elsewhere = handler_keys;
};

namespace {

awaitable<void> log_event(telemetry::level level, delivery<raw_payload> event)
{
    const auto& envelope = event.envelope();
    // What it tells, and not its payload: that may be anybody's secret.
    event.log().log(level, "event",
                    {{"source", envelope.source},
                     {"idempotency_key", envelope.idempotency_key},
                     {"attempt", event.attempt()},
                     {"payload_bytes", envelope.payload.text.size()}});
    co_return;
}

}

handling::handler make_log(kind_base base, const config::node& from)
{
    const auto params = config::read<log_params>(from);
    auto run = [level = params.level](delivery<raw_payload> event) {
        return log_event(level, std::move(event));
    };
    return make_handler<raw_payload>(std::move(base.name), std::move(base.event_types),
                                     std::move(run), std::move(base.options));
}

}
