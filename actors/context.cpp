#include "context.hpp"

#include "claimer.hpp"
#include "connection.hpp"
#include "crew.hpp"
#include "gauge.hpp"
#include "lane.hpp"
#include "log_reports.hpp"
#include "reaper.hpp"
#include "retry.hpp"
#include "settler.hpp"
#include "stall_watch.hpp"
#include "sweeper.hpp"

#include <cuebox/event/channel.hpp>
#include <cuebox/outbox/generation.hpp>

#include <algorithm>

namespace cuebox {

namespace {

constexpr std::chrono::seconds ask_deadline{5};

context_options with_generation(context_options options)
{
    options.generation = outbox::find_generation(options.generation);
    return options;
}

std::shared_ptr<outbox::relay> make_relay(pg::pool& pool, const context_options& options)
{
    const std::int64_t generation = outbox::find_generation(options.generation);
    outbox::relay_options how{.context = options.name,
                              .generation = generation,
                              .channels = {},
                              .line = options.line.value_or(pool.connects()),
                              .pooled_line = options.pooled_line,
                              .worker = {}};
    if (!options.classes.empty()) {
        how.channels.emplace();
        for (const std::string& each : options.classes)
            how.channels->push_back(event::channel_for(generation, each));
    }
    return std::make_shared<outbox::pg_relay>(pool, std::move(how));
}

[[noreturn]] void refuse(const std::string& context, const std::string& why)
{
    throw handling::handler_error("context \"" + context + "\": " + why);
}

// The rules stand beside what they are about.
template <class Rules>
void check(const std::string& context, const std::string& option, const Rules& rules)
{
    if (const auto fault = find_fault(rules))
        refuse(context,
               option + "." + std::string(fault->first) + ": " + std::string(fault->second));
}

void check(const context_options& options, const std::vector<handling::handler>& handlers)
{
    if (options.name.empty())
        throw handling::handler_error(
            "a context has no name: set context_options::name to the name that targets use");
    if (handlers.empty())
        refuse(options.name, "it has no handlers: give it at least one");
    check(options.name, "settings", options.settings);
    check(options.name, "intensity", options.intensity);
    check(options.name, "backoff", options.backoff);
    if (const auto& kept = options.settings.retention)
        if (const std::string why = outbox::why_refused(*kept); !why.empty())
            refuse(options.name, "settings.retention: " + why);
}

}

context::context(loop& home, pg::pool& pool, std::vector<handling::handler> handlers,
                 context_options options)
    : context(home, make_relay(pool, options), std::move(handlers), with_generation(options))
{}

context::context(loop& home, std::shared_ptr<outbox::relay> relay,
                 std::vector<handling::handler> handlers, context_options options)
    : home_(home),
      name_(options.name),
      company_(std::make_shared<actors::company>()),
      tree_(std::make_unique<cuebox::tree>(home, options.name,
                                           supervisor_options{.strategy = strategy::rest_for_one,
                                                              .intensity = options.intensity,
                                                              .backoff = options.backoff}))
{
    check(options, handlers);
    company_->relay = std::move(relay);
    company_->handlers = std::make_shared<handling::handler_set>(std::move(handlers));
    company_->settings = options.settings;
    company_->threads = std::make_shared<offload_pool>(options.settings.offload_threads);
    company_->log = options.log.with({{"context", options.name}});
    company_->name = options.name;
    company_->generation = options.generation.value_or(0);
    company_->observer = std::move(options.observer);
    company_->spans = std::move(options.spans);
    company_->alert = std::move(options.alert);
    if (options.metrics)
        company_->measures =
            std::make_shared<actors::measures>(*options.metrics, options.name, *company_->handlers);
    furnish();
}

// The actors keep the company, and it keeps their addresses: somebody has to let go first.
context::~context()
{
    watch_.reset();
    company_->connection = {};
    company_->settlers.clear();
    company_->crew = {};
    company_->lanes.clear();
    company_->claimer = {};
    company_->retry = {};
}

// In the order in which they start. They stop in reverse: first nothing more is claimed, then
// handlers finish, then outcomes are settled, and last the line goes, whose end is the worker's.
void context::furnish()
{
    using namespace actors;
    company& all = *company_;
    const settings& rules = all.settings;
    // What is sent to these must not be refused, and is bounded by what is in hand; a mailbox takes
    // the memory of what waits in it, not of its capacity.
    const child_options roomy{.capacity = 1'000'000};
    child_options patient{.stop_deadline = rules.stop_deadline};

    all.connection = tree_->add<actors::connection>("connection", company_);
    for (std::size_t i = 0; i < rules.lanes; ++i)
        all.settlers.push_back(
            tree_->add<settler>("settler-" + std::to_string(i + 1), roomy, company_, i));
    if (!all.handlers->leased_types().empty()) {
        // Its workers have their deadline first.
        const child_options longer{.stop_deadline = rules.stop_deadline + std::chrono::seconds(5)};
        all.crew = tree_->add<crew>("workers", longer, company_);
    }
    for (std::size_t i = 0; i < rules.lanes && !all.handlers->transactional_types().empty(); ++i)
        all.lanes.push_back(
            tree_->add<lane>("lane-" + std::to_string(i + 1), patient, company_, i));
    all.claimer = tree_->add<claimer>("claimer", roomy, company_);
    all.retry = tree_->add<retry>("retry", company_);
    tree_->add<reaper>("reaper", company_);
    tree_->add<gauge>("gauge", company_);
    tree_->add<sweeper>("sweeper", company_);

    tree_->report_to(log_reports(all.log));
}

void context::start()
{
    tree_->start();
    if (home_.keeps_real_time())
        watch_ =
            std::make_unique<actors::stall_watch>(company_, home_, [this] { return has_ended(); });
}

void context::update(std::size_t workers, std::vector<handling::handler> handlers)
{
    auto next = std::make_shared<handling::handler_set>(std::move(handlers));
    const auto& before = company_->handlers->all();
    const bool same = std::ranges::equal(
        before, next->all(), [](const handling::handler_ptr& a, const handling::handler_ptr& b) {
            return a->name == b->name && a->event_types == b->event_types &&
                   a->transactional() == b->transactional();
        });
    if (!same)
        throw handling::handler_error(
            "context \"" + name_ +
            "\": handlers were added, removed or listen for other events: "
            "that takes a restart");
    actors::settings rules = company_->settings;
    rules.workers = workers;
    check(name_, "settings", rules);
    company_->handlers = std::move(next);
    (void)company_->crew.try_send(actors::resize{workers});
}

awaitable<actors::line_health> context::line() const
{
    return ask(home_, company_->connection, actors::get_line{}, ask_deadline);
}

awaitable<actors::claimer_load> context::load() const
{
    return ask(home_, company_->claimer, actors::get_load{}, ask_deadline);
}

actors::context_health context::health() const
{
    const time_point now = home_.now();
    const actors::vitals::signs known = company_->vitals->read();
    const auto since = [now](const std::optional<time_point>& then) {
        return then ? std::optional<duration>(now - *then) : std::nullopt;
    };
    actors::context_health health{.context = name_, .generation = company_->generation};
    health.ended = has_ended();
    health.tree = tree();
    health.listening = known.line.listening && !health.ended;
    health.polling = known.line.polling && !health.ended;
    health.heartbeat_age = since(known.line.checked);
    health.silence = since(known.line.heard);
    health.trouble = known.line.trouble;
    health.stall = health.ended ? std::nullopt : known.stall;
    health.load = known.load;
    if (known.last_reading) {
        health.gauges = known.last_reading->gauges;
        health.gauges_age = now - known.last_reading->read_at;
    }
    return health;
}

}
