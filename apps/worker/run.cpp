#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/worker/instruments.hpp>
#include <cuebox/worker/run.hpp>
#include <cuebox/worker/shift.hpp>

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
#include <future>
#include <memory>
#include <thread>

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

template <class T>
T finish(awaitable<T> question)
{
    asio::io_context io{1};
    auto answer = asio::co_spawn(io, std::move(question), asio::use_future);
    io.run();
    return answer.get();
}

// In the catalog, which everybody may read: a table of the first migration, and one of the latest
// that a worker cannot do without.
constexpr pg::statement find_table{
    .name = "find table",
    .sql = "select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n "
           "on n.oid = c.relnamespace where n.nspname = 'core' and c.relname = $1)"};

awaitable<void> check_schema(pg::connect_options database)
{
    database.prepared_max = 0;
    auto connection = co_await pg::connect(std::move(database));
    const bool there = co_await connection.query_one<bool>(find_table, "outbox");
    if (!there)
        throw std::runtime_error("the database has no Cuebox schema: run `cuebox migrate`");
    const bool recent = co_await connection.query_one<bool>(find_table, "retention_policies");
    if (!recent)
        throw std::runtime_error("the database's schema is older than this program: run `cuebox "
                                 "migrate`");
}

}

int run(const worker_config& config, const registry& handlers, run_options options)
{
    // A program that ends before it has read its event is no reason to die.
    std::signal(SIGPIPE, SIG_IGN);
    // Whether a NOTIFY can be heard, and prepared statements kept, before anything depends on it.
    const std::string deaf = finish(outbox::why_deaf(options.database));
    finish(check_schema(options.database));
    if (!deaf.empty()) {
        options.log.warning(deaf);
        options.database.prepared_max = 0;
    }

    instruments seen(config, options);
    std::vector<std::unique_ptr<shift>> shifts;
    const std::size_t threads = std::max<std::size_t>(config.threads, 1);
    for (std::size_t i = 0; i < threads; ++i)
        shifts.push_back(std::make_unique<shift>(
            options.database, config.connections.value_or(connections_for(config, handlers))));
    const auto plans = plan_contexts(config, handlers);
    // More threads than contexts: each of those runs several times over, and they share its work.
    for (std::size_t i = 0; i < std::max(threads, plans.size()); ++i) {
        auto plan = plans[i % plans.size()];
        plan.options.log = options.log;
        seen.attach(plan.options);
        plan.options.line = options.database;
        plan.options.pooled_line = !deaf.empty();
        shifts[i % threads]->add(std::move(plan));
    }

    const auto reread = [&] {
        try {
            const auto again = plan_contexts(options.reread(), handlers);
            for (const context_plan& each : again)
                for (const auto& shift : shifts)
                    shift->update(each, options.log);
        }
        catch (const std::exception& error) {
            options.log.error("config not taken over", {{"error", std::string(error.what())}});
        }
    };

    std::vector<watched_context> watched;
    for (std::size_t i = 0; i < shifts.size(); ++i)
        for (watched_context& each : shifts[i]->watch(i + 1))
            watched.push_back(std::move(each));
    seen.open_endpoint(std::move(watched));

    asio::io_context signals_io{1};
    asio::signal_set signals(signals_io, SIGTERM, SIGINT);
    if (options.reread)
        signals.add(SIGHUP);
    bool stopping = false;
    std::function<void()> await_signal = [&] {
        signals.async_wait([&](const boost::system::error_code& error, int number) {
            if (error)
                return;
            if (number == SIGHUP) {
                reread();
                await_signal();
                return;
            }
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

    // Half a service is worse than one that its operator sees restart.
    const auto gave_up = [&](const std::string& why) {
        options.log.error(why);
        for (const auto& each : shifts)
            each->stop();
    };
    for (const auto& each : shifts)
        each->start(gave_up);
    bool well = true;
    for (const auto& each : shifts)
        well = each->await_end() && well;
    seen.close();
    for (const auto& each : shifts)
        each->close();
    asio::post(signals_io, [&] { signals.cancel(); });
    listener.join();
    options.log.info("stopped");
    return well ? 0 : 1;
}

}
