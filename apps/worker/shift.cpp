#include <cuebox/worker/shift.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>

namespace cuebox::worker {

shift::shift(const pg::connect_options& database, std::size_t connections)
    : pool_({.connect = database, .rules = {.size = connections}})
{}

void shift::add(context_plan plan)
{
    const duration heartbeat = plan.options.settings.heartbeat;
    members_.push_back({.context = std::make_unique<context>(loop_, pool_, std::move(plan.handlers),
                                                             std::move(plan.options)),
                        .heartbeat = heartbeat});
}

void shift::update(const context_plan& plan, const telemetry::logger& log)
{
    asio::post(io_, [this, plan, log] {
        const std::string& name = plan.options.name;
        for (const member& each : members_) {
            if (each.context->name() != name || each.context->has_ended())
                continue;
            try {
                each.context->update(plan.options.settings.workers, plan.handlers);
                log.info("config re-read", {{"context", name}});
            }
            catch (const std::exception& error) {
                log.error("config not taken over", {{"error", std::string(error.what())}});
            }
        }
    });
}

void shift::start(std::function<void(const std::string&)> gave_up)
{
    for (const member& each : members_) {
        each.context->start();
        endings_.push_back(
            asio::co_spawn(io_, watch_end(*each.context, gave_up), asio::use_future));
    }
    thread_ = std::thread([this] { io_.run(); });
}

void shift::stop()
{
    for (const member& each : members_)
        each.context->stop();
}

bool shift::join()
{
    bool well = true;
    for (auto& each : endings_)
        well = each.get() && well;
    endings_.clear();
    asio::post(io_, [this] { pool_.close(); });
    guard_.reset();
    if (thread_.joinable())
        thread_.join();
    return well;
}

shift::~shift()
{
    if (!thread_.joinable())
        return;
    stop();
    join();
}

std::vector<watched_context> shift::watch() const
{
    // A check that is late by a beat or two is none the worse for it.
    constexpr duration shortest = std::chrono::seconds(10);
    std::vector<watched_context> all;
    for (const member& each : members_)
        all.push_back({.whom = each.context.get(),
                       .copy = 1,
                       .silence_max = std::max(shortest, 3 * each.heartbeat)});
    return all;
}

awaitable<bool> shift::watch_end(context& whom, std::function<void(const std::string&)> gave_up)
{
    const exit_reason end = co_await whom.ended();
    const bool well = end.kind != exit_kind::failed;
    if (!well)
        gave_up("context " + whom.name() + " gave up: " + end.what());
    co_return well;
}

}
