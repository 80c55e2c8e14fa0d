#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/worker/run.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <memory>
#include <thread>

namespace cuebox::worker {

namespace {

// A thread, its loop and its connections, shared by the contexts that live there.
class shift
{
public:
    shift(const pg::connect_options& database, std::size_t connections)
        : pool_({.connect = database, .rules = {.size = connections}})
    {}

    context& add(context_plan plan)
    {
        contexts_.push_back(std::make_unique<context>(loop_, pool_, std::move(plan.handlers),
                                                      std::move(plan.options)));
        return *contexts_.back();
    }

    void start()
    {
        for (const auto& each : contexts_)
            each->start();
        thread_ = std::thread([this] { io_.run(); });
    }

    void stop()
    {
        for (const auto& each : contexts_)
            each->stop();
    }

    // Waits until all have ended; false when one gave up.
    bool join()
    {
        bool well = true;
        for (const auto& each : contexts_) {
            auto ended = asio::co_spawn(io_, each->ended(), asio::use_future);
            well = ended.get().kind != exit_kind::failed && well;
        }
        asio::post(io_, [this] { pool_.close(); });
        guard_.reset();
        if (thread_.joinable())
            thread_.join();
        return well;
    }

private:
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
    cuebox::loop loop_{io_.get_executor()};
    pg::pool pool_;
    std::vector<std::unique_ptr<context>> contexts_;
    std::thread thread_;
};

// Every lane and settler of a context may be at work at once, and its keepers now and then.
std::size_t connections_for(const worker_config& config)
{
    std::size_t most = 0;
    for (const context_config& each : config.contexts)
        most += 2 * each.lanes + 2;
    return std::max<std::size_t>(4, most / config.threads + 1);
}

// Whether a NOTIFY can be heard, and prepared statements kept, before anything depends on it.
std::string find_pooler(const pg::connect_options& database)
{
    asio::io_context io{1};
    auto answer = asio::co_spawn(io, outbox::why_deaf(database), asio::use_future);
    io.run();
    return answer.get();
}

}

int run(const worker_config& config, const registry& handlers, run_options options)
{
    const std::string deaf = find_pooler(options.database);
    if (!deaf.empty()) {
        options.log.warning(deaf);
        options.database.prepared_max = 0;
    }

    std::vector<std::unique_ptr<shift>> shifts;
    const std::size_t threads = std::clamp<std::size_t>(config.threads, 1, config.contexts.size());
    for (std::size_t i = 0; i < threads; ++i)
        shifts.push_back(std::make_unique<shift>(
            options.database, config.connections.value_or(connections_for(config))));
    for (std::size_t i = 0; i < config.contexts.size(); ++i) {
        auto plan = plan_context(config.contexts[i], handlers);
        plan.options.log = options.log;
        plan.options.line = options.database;
        plan.options.pooled_line = !deaf.empty();
        shifts[i % threads]->add(std::move(plan));
    }

    asio::io_context signals_io{1};
    asio::signal_set signals(signals_io, SIGTERM, SIGINT);
    bool stopping = false;
    std::function<void()> await_signal = [&] {
        signals.async_wait([&](const boost::system::error_code& error, int) {
            if (error)
                return;
            // Leases and locks bring everything back that is under way.
            if (std::exchange(stopping, true))
                std::_Exit(0);
            options.log.info("stopping: running handlers may finish");
            for (const auto& each : shifts)
                each->stop();
            await_signal();
        });
    };
    await_signal();
    std::thread listener([&] { signals_io.run(); });

    for (const auto& each : shifts)
        each->start();
    bool well = true;
    for (const auto& each : shifts)
        well = each->join() && well;
    asio::post(signals_io, [&] { signals.cancel(); });
    listener.join();
    options.log.info("stopped");
    return well ? 0 : 1;
}

}
