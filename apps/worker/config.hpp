#pragma once

#include <cuebox/actors/context.hpp>
#include <cuebox/config/read.hpp>
#include <cuebox/handlers/level_names.hpp>
#include <cuebox/handlers/registry.hpp>
#include <cuebox/telemetry/log.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace cuebox::worker {

// How a context treats actors of its own that fail.
struct supervision_config
{
    cuebox::intensity intensity{};
    cuebox::backoff backoff{};
};

// One listening context, as a supervisor config describes it. docs/configuration.md has every key.
struct context_config
{
    // Its name: targets and subscriptions use it.
    std::string context;
    std::optional<std::int64_t> generation{};
    std::vector<std::string> classes{};
    // Each read by its kind.
    std::vector<config::node> handlers{};
    // For handlers that say nothing else.
    retry_policy retry{};

    std::size_t workers = actors::settings{}.workers;
    std::size_t lanes = actors::settings{}.lanes;
    std::size_t offload_threads = actors::settings{}.offload_threads;
    std::size_t batch_min = actors::settings{}.claim.batch_min;
    std::size_t batch_max = actors::settings{}.claim.batch_max;
    std::chrono::milliseconds batch_time = actors::settings{}.claim.batch_time;
    std::chrono::milliseconds lease = actors::settings{}.lease;
    std::chrono::milliseconds safety_poll = actors::settings{}.safety_poll;
    std::chrono::milliseconds poll = actors::settings{}.poll;
    std::chrono::milliseconds heartbeat = actors::settings{}.heartbeat;
    std::chrono::milliseconds reconnect_base = std::chrono::seconds(1);
    std::chrono::milliseconds reconnect_cap = std::chrono::seconds(30);
    std::chrono::milliseconds reap = actors::settings{}.reap;
    std::chrono::milliseconds gauge = actors::settings{}.gauge;
    std::chrono::milliseconds sweep = actors::settings{}.sweep;
    std::chrono::milliseconds stop_deadline = actors::settings{}.stop_deadline;
    std::optional<outbox::retention> retention{};
    supervision_config supervision{};

    // What the context's actors go by.
    actors::settings settings() const;

    static constexpr std::string_view required[] = {"context", "handlers"};
    void validate(const config::node& from) const;
};

struct log_config
{
    telemetry::level level = telemetry::level::info;
    // One JSON object a line, rather than text for people.
    bool json = false;
    // Empty is stderr.
    std::string file{};
    std::string service = "cuebox";
    std::string environment{};
};

// Where /metrics, /healthz and /readyz are served.
struct http_config
{
    // Of this machine alone unless said otherwise.
    std::string host = "127.0.0.1";
    // 0 takes a free one, and says which in the log.
    std::uint16_t port = 9464;

    void validate(const config::node& from) const;
};

// Where spans go; needs a Cuebox that was built with OpenTelemetry.
struct traces_config
{
    // An OTLP/HTTP receiver; empty is what OpenTelemetry's own variables say, and else this
    // machine's: http://localhost:4318/v1/traces.
    std::string endpoint{};
    // Such as { Authorization: "Bearer ${TOKEN}" }.
    std::map<std::string, std::string> headers{};
    // JSON rather than protobuf.
    bool json = false;
    // Without TLS spans and headers can be read on the way: only to this machine, unless this says
    // so.
    bool allow_plain_http = false;

    void validate(const config::node& from) const;
};

struct worker_config
{
    std::vector<context_config> contexts;
    // Contexts are spread over so many threads; with more threads than contexts, each context runs
    // on several.
    std::size_t threads = 1;
    // Connections of each thread; as many as its contexts can use at once unless given.
    std::optional<std::size_t> connections{};
    log_config log{};
    // Not served unless it is there.
    std::optional<http_config> http{};
    // Who is told of dead letters, each read by its kind; the log is in any case.
    std::vector<config::node> alerts{};
    // Not sent unless it is there.
    std::optional<traces_config> traces{};

    static constexpr std::string_view required[] = {"contexts"};
    void validate(const config::node& from) const;
};

// Reads a config: JSON with comments, in which "${NAME}" within a string is that environment
// variable. Throws config::error, which names the place.
worker_config parse_config(std::string_view text, std::string_view source);

// A context and its handlers, ready to be made: those of the registry by name, the others by their
// kind.
struct context_plan
{
    context_options options{};
    std::vector<handling::handler> handlers{};
};
context_plan plan_context(const context_config& from, const registry& handlers);
// All of them, in their order. Throws when two have a handler of one name: dedup could not tell
// them apart.
std::vector<context_plan> plan_contexts(const worker_config& config, const registry& handlers);

// What would run, as a tree of text, and for machines.
std::string describe(const worker_config& config, const registry& handlers);
std::string describe_json(const worker_config& config, const registry& handlers);

}
