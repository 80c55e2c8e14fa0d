#include <cuebox/handling/handler_set.hpp>
#include <cuebox/worker/crew.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>

namespace cuebox::worker {

namespace {

// Every lane and settler of a context may be at work at once, and its keepers now and then.
std::size_t connections_for(const worker_config& config, const registry& handlers)
{
    std::size_t most = 0;
    for (const context_config& each : config.contexts) {
        most += 2 * each.lanes + 2;
        // A transactional handler of a leased event holds one while it runs.
        const handling::handler_set set(plan_context(each, handlers).handlers);
        const bool mixed = std::ranges::any_of(set.leased_types(), [&](const std::string& type) {
            return std::ranges::any_of(set.for_type(type), &handling::handler::transactional,
                                       [](const auto& one) -> const auto& { return *one; });
        });
        most += mixed ? each.workers : 0;
    }
    return std::max<std::size_t>(4, most);
}

}

equipment equip_with(registry handlers)
{
    return [handlers = std::move(handlers)](setup& it) { it.handlers() = handlers; };
}

crew::crew(worker_config config, const equipment& equip) : config_(std::move(config))
{
    const std::size_t threads = std::max<std::size_t>(config_.threads, 1);
    for (std::size_t i = 0; i < threads; ++i) {
        shifts_.push_back(std::make_unique<shift>());
        shifts_.back()->furnish(equip, i, threads);
        for (context_plan& each : plan_contexts(config_, shifts_.back()->handlers()))
            handling::handler_set(std::move(each.handlers));
    }
}

std::string crew::describe() const
{
    return worker::describe(config_, shifts_.front()->handlers());
}

std::string crew::describe_json() const
{
    return worker::describe_json(config_, shifts_.front()->handlers());
}

std::vector<context_plan> crew::plans(const worker_config& config) const
{
    return plan_contexts(config, shifts_.front()->handlers());
}

void crew::open(const pg::connect_options& database, const telemetry::logger& log,
                const std::function<void(context_options&)>& prepare)
{
    for (const auto& each : shifts_)
        each->open(database,
                   config_.connections.value_or(connections_for(config_, each->handlers())), log);
    // More threads than contexts: each of those runs several times over, and they share its work.
    const std::size_t contexts = config_.contexts.size();
    for (std::size_t i = 0; i < std::max(shifts_.size(), contexts); ++i) {
        shift& home = *shifts_[i % shifts_.size()];
        auto plan = plan_context(config_.contexts[i % contexts], home.handlers());
        plan.options.log = log;
        plan.options.line = database;
        prepare(plan.options);
        home.add(std::move(plan));
    }
}

std::vector<watched_context> crew::watch() const
{
    std::vector<watched_context> all;
    std::map<std::string, std::size_t> copies;
    for (const auto& shift : shifts_)
        for (watched_context& each : shift->watch()) {
            each.copy = ++copies[each.whom->name()];
            all.push_back(each);
        }
    return all;
}

void crew::update(const worker_config& again, const telemetry::logger& log)
{
    const auto names = [](const worker_config& of) {
        std::set<std::string> all;
        for (const context_config& each : of.contexts)
            all.insert(each.context);
        return all;
    };
    if (names(again) != names(config_))
        throw std::runtime_error("contexts were added, removed or renamed: that takes a restart");
    std::vector<std::vector<context_plan>> plans;
    for (const auto& each : shifts_)
        plans.push_back(plan_contexts(again, each->handlers()));
    for (std::size_t i = 0; i < shifts_.size(); ++i)
        for (const context_plan& each : plans[i])
            shifts_[i]->update(each, log);
}

void crew::stop()
{
    stopping_ = true;
    for (const auto& each : shifts_)
        each->stop();
}

bool crew::run(const telemetry::logger& log)
{
    // Half a service is worse than one that its operator sees restart.
    const auto gave_up = [this, &log](const std::string& why) {
        log.error(why);
        stop();
    };
    // A handler may ask an actor of another thread: they are all there before the first event, and
    // after the last.
    for (const auto& each : shifts_)
        each->start_actors(gave_up);
    for (const auto& each : shifts_)
        each->start(gave_up);
    if (stopping_) // Before they were all there to hear it.
        stop();
    bool well = true;
    for (const auto& each : shifts_)
        well = each->join() && well;
    for (const auto& each : shifts_)
        well = each->close() && well;
    return well;
}

void crew::dismiss()
{
    for (const auto& each : shifts_)
        each->dismiss();
}

}
