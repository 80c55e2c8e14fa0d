#include <cuebox/alerts/config.hpp>
#include <cuebox/config/parse.hpp>
#include <cuebox/event/channel.hpp>
#include <cuebox/event/encode.hpp>
#include <cuebox/event/error.hpp>
#include <cuebox/handlers/kinds/kind.hpp>
#include <cuebox/handling/handler_set.hpp>
#include <cuebox/http/header.hpp>
#include <cuebox/http/url.hpp>
#include <cuebox/worker/config.hpp>
#include <cuebox/worker/environment.hpp>

#include <boost/asio/ip/address.hpp>

#include <map>

namespace cuebox::worker {

// What --check prints with --json.
struct described_handler
{
    std::string name;
    std::string delivery;
    std::vector<std::string> events;
};
struct described_context
{
    std::string context;
    std::optional<std::int64_t> generation;
    std::int64_t workers;
    std::int64_t lanes;
    std::vector<described_handler> handlers;
};
struct described_worker
{
    std::vector<described_context> contexts;
};

namespace {

// Of each thread; no server has more to give.
constexpr std::size_t connections_max = 10'000;

// What every handler of a config may say.
handlers::kind_base read_base(const config::node& from, const retry_policy& retry)
{
    handlers::kind_base base;
    base.options.retry = retry;
    const auto name = from.find("name");
    if (!name)
        from.refuse("name", "missing: a handler needs a name such as \"billing.invoices\"");
    config::read_into(*name, base.name);
    if (const auto events = from.find("events"))
        config::read_into(*events, base.event_types);
    if (const auto given = from.find("retry"))
        config::read_into(*given, base.options.retry);
    if (const auto timeout = from.find("timeout"))
        config::read_into(*timeout, base.options.timeout);
    return base;
}

// Only these keys stand beside a handler that was written in C++.
struct registered_params
{
    static constexpr auto& read_elsewhere = handlers::handler_keys;
};

handling::handler find_registered(const config::node& from, const handlers::kind_base& base,
                                  const registry& known)
{
    config::read<registered_params>(from);
    auto found = known.find(base.name);
    if (!found) {
        std::string why = "no handler of that name was registered";
        if (known.names().empty())
            why += "; give it a kind: sql, webhook, exec, log or agent_tasks";
        from.refuse("name", why);
    }
    if (!base.event_types.empty())
        found->event_types = base.event_types;
    if (from.find("retry"))
        found->retry = base.options.retry;
    if (from.find("timeout"))
        found->timeout = base.options.timeout;
    return std::move(*found);
}

// Any generation will do: a class fits beside each of them or beside none.
void check_class(const config::node& from, const std::string& name)
{
    try {
        (void)event::channel_for(1, name);
    }
    catch (const event::envelope_error& error) {
        from.refuse(error.what());
    }
}

handling::handler make_handler(const config::node& from, const retry_policy& retry,
                               const registry& known)
{
    auto base = read_base(from, retry);
    const auto kind = from.find("kind");
    if (!kind)
        return find_registered(from, base, known);
    const auto* of = handlers::find_kind(kind->as_string());
    if (!of)
        kind->refuse("no such kind: take one of sql, webhook, exec, log, agent_tasks, or leave it "
                     "out for a handler written in C++");
    if (base.event_types.empty() && !of->event_type.empty())
        base.event_types.emplace_back(of->event_type);
    if (base.event_types.empty())
        from.refuse("events", "missing: say which event types it is for");
    return of->make(std::move(base), from);
}

}

void context_config::validate(const config::node& from) const
{
    if (context.empty())
        from.refuse("context", "is empty: say which context this is");
    if (handlers.empty())
        from.refuse("handlers", "is empty: a context without handlers takes no event");
    if (generation && *generation < 1)
        from.refuse("generation", "must be at least 1: generations count up from 1");
    for (std::size_t i = 0; i < classes.size(); ++i)
        check_class(from.find("classes")->element(i), classes[i]);
    if (const auto fault = find_fault(settings()))
        from.refuse(fault->first, fault->second);
    if (retention)
        if (const std::string why = outbox::why_refused(*retention); !why.empty())
            from.refuse("retention", why);
}

void http_config::validate(const config::node& from) const
{
    boost::system::error_code none;
    asio::ip::make_address(host, none);
    if (none && host != "localhost")
        from.refuse("host", "\"" + host +
                                "\" is no address of a machine: 127.0.0.1 is this one alone, "
                                "0.0.0.0 everybody who can reach it");
}

void traces_config::validate(const config::node& from) const
{
    for (const auto& [name, value] : headers)
        if (!http::is_header_name(name) || !http::is_header_value(value))
            from.refuse("headers", "\"" + name + "\" or its value is nothing HTTP takes");
    if (endpoint.empty())
        return;
    const auto where = http::parse_url(endpoint);
    if (!where)
        from.refuse("endpoint", "must be http:// or https:// with a host and a path, such as "
                                "http://127.0.0.1:4318/v1/traces; credentials belong in headers");
    if (!where->tls && !where->loopback() && !allow_plain_http)
        from.refuse("endpoint", "http:// to another machine can be read on the way: take https://, "
                                "or say allow_plain_http: true");
}

void worker_config::validate(const config::node& from) const
{
    if (contexts.empty())
        from.refuse("contexts", "is empty: name at least one context to run");
    for (std::size_t i = 0; i < contexts.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (contexts[i].context == contexts[j].context)
                from.find("contexts")
                    ->element(i)
                    .refuse("context",
                            "\"" + contexts[i].context +
                                "\" is there twice: put the handlers of both into one, or each "
                                "event would reach one of the two");
    if (threads == 0 || threads > 256)
        from.refuse("threads", "must be between 1 and 256");
    if (connections && (*connections < 1 || *connections > connections_max))
        from.refuse("connections", "must be from 1 to 10000; leave it out for as many as it takes");
    (void)alerts::read_alerts(alerts);
    if (traces && !CUEBOX_HAS_OTEL)
        from.refuse("traces", "this program was built without OpenTelemetry: leave it out, or "
                              "build with -DCUEBOX_OTEL=ON");
}

worker_config parse_config(std::string_view text, std::string_view source)
{
    const std::string filled = fill_in_environment(text, source);
    return config::read<worker_config>(config::parse(filled, source));
}

actors::settings context_config::settings() const
{
    actors::settings rules;
    rules.workers = workers;
    rules.lanes = lanes;
    rules.offload_threads = offload_threads;
    rules.claim = {.batch_min = batch_min, .batch_max = batch_max, .batch_time = batch_time};
    rules.lease = lease;
    rules.safety_poll = safety_poll;
    rules.poll = poll;
    rules.heartbeat = heartbeat;
    rules.reconnect = {.base = reconnect_base, .cap = reconnect_cap};
    rules.reap = reap;
    rules.gauge = gauge;
    rules.sweep = sweep;
    rules.stop_deadline = stop_deadline;
    rules.retention = retention;
    return rules;
}

context_plan plan_context(const context_config& from, const registry& handlers)
{
    context_plan plan;
    plan.options.name = from.context;
    plan.options.generation = from.generation;
    plan.options.classes = from.classes;
    plan.options.settings = from.settings();
    plan.options.intensity = from.supervision.intensity;
    plan.options.backoff = from.supervision.backoff;
    for (const config::node& each : from.handlers)
        plan.handlers.push_back(make_handler(each, from.retry, handlers));
    return plan;
}

std::vector<context_plan> plan_contexts(const worker_config& config, const registry& handlers)
{
    std::vector<context_plan> plans;
    std::map<std::string, std::string> owners;
    for (const context_config& each : config.contexts) {
        plans.push_back(plan_context(each, handlers));
        for (const auto& handler : plans.back().handlers) {
            const auto [owner, added] = owners.emplace(handler.name, each.context);
            if (!added && owner->second != each.context)
                throw handling::handler_error("handler \"" + handler.name + "\": contexts \"" +
                                              owner->second + "\" and \"" + each.context +
                                              "\" both have one; give each its own name");
        }
    }
    return plans;
}

std::string describe(const worker_config& config, const registry& handlers)
{
    std::string out;
    const auto plans = plan_contexts(config, handlers);
    for (std::size_t number = 0; number < plans.size(); ++number) {
        const context_config& each = config.contexts[number];
        const handling::handler_set set(plans[number].handlers);
        // The environment of the worker decides, not that of who checks its config.
        out += each.context + "  generation " +
               (each.generation ? std::to_string(*each.generation) : "from the environment") +
               "  workers " + std::to_string(each.workers) + "  lanes " +
               std::to_string(each.lanes) + "\n";
        for (std::size_t i = 0; i < set.all().size(); ++i) {
            const auto& handler = *set.all()[i];
            out += i + 1 < set.all().size() ? "├── " : "└── ";
            out += handler.name;
            out += handler.transactional() ? "  transactional " : "  leased ";
            for (const std::string& type : handler.event_types)
                out += " " + type;
            out += "\n";
        }
    }
    return out;
}

std::string describe_json(const worker_config& config, const registry& handlers)
{
    described_worker out;
    const auto plans = plan_contexts(config, handlers);
    for (std::size_t i = 0; i < plans.size(); ++i) {
        const context_config& each = config.contexts[i];
        described_context context{.context = each.context,
                                  .generation = each.generation,
                                  .workers = static_cast<std::int64_t>(each.workers),
                                  .lanes = static_cast<std::int64_t>(each.lanes),
                                  .handlers = {}};
        const handling::handler_set set(plans[i].handlers);
        for (const auto& handler : set.all())
            context.handlers.push_back(
                {.name = handler->name,
                 .delivery = handler->transactional() ? "transactional" : "leased",
                 .events = handler->event_types});
        out.contexts.push_back(std::move(context));
    }
    return event::encode(out);
}

}
