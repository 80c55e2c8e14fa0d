#include <cuebox/actors/log_reports.hpp>
#include <cuebox/worker/shift.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>

namespace cuebox::worker {

shift::shift() = default;

void shift::furnish(const equipment& equip, std::size_t thread, std::size_t threads)
{
    setup it(loop_, actors_, handlers_, thread, threads);
    if (equip)
        equip(it);
}

void shift::open(const pg::connect_options& database, std::size_t connections,
                 const telemetry::logger& log)
{
    pool_.emplace(pg::pool_options{.connect = database, .rules = {.size = connections}});
    actors_.report_to(actors::log_reports(log));
}

void shift::add(context_plan plan)
{
    const duration heartbeat = plan.options.settings.heartbeat;
    members_.push_back({.context = std::make_unique<context>(
                            loop_, *pool_, std::move(plan.handlers), std::move(plan.options)),
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

void shift::start_actors(const complaint& gave_up)
{
    thread_ = std::thread([this] { io_.run(); });
    // A tree without actors would end at once.
    if (actors_.snapshot().children.empty())
        return;
    actors_.start();
    actors_ending_ = asio::co_spawn(io_, watch_actors(actors_, gave_up), asio::use_future);
}

void shift::start(const complaint& gave_up)
{
    for (const member& each : members_) {
        each.context->start();
        endings_.push_back(
            asio::co_spawn(io_, watch_end(*each.context, gave_up), asio::use_future));
    }
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
    return well;
}

bool shift::close()
{
    actors_.stop();
    const bool well = !actors_ending_.valid() || actors_ending_.get();
    asio::post(io_, [this] {
        if (pool_)
            pool_->close();
    });
    guard_.reset();
    if (thread_.joinable())
        thread_.join();
    return well;
}

void shift::dismiss()
{
    if (thread_.joinable()) {
        stop();
        join();
        close();
    }
    members_.clear();
}

shift::~shift()
{
    dismiss();
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

awaitable<bool> shift::watch_end(context& whom, complaint gave_up)
{
    const exit_reason end = co_await whom.ended();
    const bool well = end.kind != exit_kind::failed;
    if (!well)
        gave_up("context " + whom.name() + " gave up: " + end.what());
    co_return well;
}

awaitable<bool> shift::watch_actors(tree& whom, complaint gave_up)
{
    const exit_reason end = co_await whom.ended();
    const bool well = end.kind != exit_kind::failed;
    if (!well)
        gave_up("the program's actors gave up: " + end.what());
    co_return well;
}

}
