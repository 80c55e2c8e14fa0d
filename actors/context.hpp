#pragma once

#include <cuebox/actors/health.hpp>
#include <cuebox/actors/settings.hpp>
#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/runtime/tree.hpp>
#include <cuebox/telemetry/stderr_log.hpp>

namespace cuebox {

namespace actors {
class stall_watch;
}

struct context_options
{
    // The listening context: targets and subscriptions name it. It has to be given.
    std::string name{};
    // The deployment; none is CUEBOX_GENERATION, else SPECTRAL_GENERATION.
    std::optional<std::int64_t> generation{};
    // Processing classes to take events of; none is all of the generation.
    std::vector<std::string> classes{};
    actors::settings settings{};
    // How many restarts of its actors it tolerates before it gives up, and the pause before each.
    cuebox::intensity intensity{};
    cuebox::backoff backoff{};
    // Warnings, errors and dead letters on stderr unless given; a logger{} says nothing.
    telemetry::logger log = telemetry::stderr_log();
    // Told of every run of a handler; may be empty, as may the following three.
    handling::observer observer{};
    // Where it counts. It must outlive the context.
    telemetry::metrics* metrics = nullptr;
    // Takes a span for each run of a handler.
    telemetry::span_sink spans{};
    // Told of every event that has become a dead letter.
    telemetry::alert_sink alert{};
    // Where the LISTEN connection goes: straight to Postgres, also when the pool does not. None: as
    // the pool's connections.
    std::optional<pg::connect_options> line{};
    // The connection of `line` goes through a transaction pooler: poll.
    bool pooled_line = false;
};

// A listening context: events that are for it go to its handlers, within milliseconds, for as long
// as it runs. It lives on a loop over an executor that the service has already, and shares its
// pool; both must outlive it.
//
//     cuebox::context billing{loop, pool, std::move(handlers), {.name = "billing"}};
//     billing.start();
//     …
//     billing.stop();                    // returns at once; nothing is lost however it ends
//     co_await billing.ended();
class context
{
public:
    // Throws what is wrong with the handlers or the options before anything runs.
    context(loop& home, pg::pool& pool, std::vector<handling::handler> handlers,
            context_options options);
    // On a relay of another making.
    context(loop& home, std::shared_ptr<outbox::relay> relay,
            std::vector<handling::handler> handlers, context_options options);

    // It must have ended, or never started.
    ~context();
    context(const context&) = delete;
    context& operator=(const context&) = delete;

    // From any thread. Stopping lets running handlers finish, until their deadline.
    void start();
    void stop() { tree_->stop(); }
    awaitable<exit_reason> ended() const { return tree_->ended(); }
    bool has_ended() const noexcept { return tree_->has_ended(); }

    // While it runs, on its loop's executor: another number of workers, and the same handlers with
    // other policies. Throws handling::handler_error when it is more than that, and changes
    // nothing.
    void update(std::size_t workers, std::vector<handling::handler> handlers);

    snapshot tree() const { return tree_->snapshot(); }
    const std::string& name() const noexcept { return name_; }
    // 0: on a relay of another making, which knows.
    std::int64_t generation() const noexcept { return company_->generation; }
    const handling::handler_set& handlers() const noexcept { return *company_->handlers; }

    // How it is doing; on its loop's executor. Throw ask_error while it is not running.
    awaitable<actors::line_health> line() const;
    awaitable<actors::claimer_load> load() const;
    // What it last said of all that, what its gauge read last, and its tree; from any thread,
    // without waiting for anybody.
    actors::context_health health() const;
    // How many rows were settled, and how; from any thread.
    actors::tally settled() const { return company_->tally->read(); }

private:
    void furnish();

    loop& home_;
    std::string name_;
    std::shared_ptr<actors::company> company_;
    std::unique_ptr<cuebox::tree> tree_;
    std::unique_ptr<actors::stall_watch> watch_;
};

}
