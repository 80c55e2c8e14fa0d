#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/outbox/roles.hpp>
#include <cuebox/worker/instruments.hpp>
#include <cuebox/worker/run.hpp>
#include <cuebox/worker/shift.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_future.hpp>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <map>
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

// In the catalog, which everybody may read: a table of the first migration, and a function of the
// latest that a worker cannot do without.
constexpr pg::statement find_table{
    .name = "find table",
    .sql = "select exists (select from pg_catalog.pg_class c join pg_catalog.pg_namespace n "
           "on n.oid = c.relnamespace where n.nspname = 'core' and c.relname = $1)"};
constexpr pg::statement find_function{
    .name = "find function",
    .sql = "select exists (select from pg_catalog.pg_proc p join pg_catalog.pg_namespace n "
           "on n.oid = p.pronamespace where n.nspname = 'core' and p.proname = $1)"};

awaitable<void> check_schema(pg::connect_options database)
{
    database.prepared_max = 0;
    auto connection = co_await pg::connect(std::move(database));
    const bool there = co_await connection.query_one<bool>(find_table, "outbox");
    if (!there)
        throw std::runtime_error("the database has no Cuebox schema: run `cuebox migrate`");
    const bool recent = co_await connection.query_one<bool>(find_function, "outbox_turn");
    if (!recent)
        throw std::runtime_error("the database's schema is older than this program: run `cuebox "
                                 "migrate`");
    // It would only warn, and wait for a right that nobody knows is missing.
    const std::string denied = co_await outbox::why_no_worker(connection);
    if (!denied.empty())
        throw std::runtime_error(denied);
}

// SIGTERM and SIGINT stop, SIGHUP reads again, from a thread of its own for as long as this lives.
class signal_watch
{
public:
    signal_watch(std::function<void()> stop, std::function<void()> reread)
        : stop_(std::move(stop)),
          reread_(std::move(reread))
    {
        if (reread_)
            signals_.add(SIGHUP);
        wait();
        thread_ = std::thread([this] { io_.run(); });
    }
    ~signal_watch()
    {
        asio::post(io_, [this] { signals_.cancel(); });
        thread_.join();
    }
    signal_watch(const signal_watch&) = delete;
    signal_watch& operator=(const signal_watch&) = delete;

private:
    void wait()
    {
        signals_.async_wait([this](const boost::system::error_code& error, int number) {
            if (error)
                return;
            if (number == SIGHUP)
                reread_();
            // Leases and locks bring everything back that is under way.
            else if (std::exchange(stopping_, true))
                std::_Exit(0);
            else
                stop_();
            wait();
        });
    }

    std::function<void()> stop_;
    std::function<void()> reread_;
    bool stopping_ = false;
    asio::io_context io_{1};
    asio::signal_set signals_{io_, SIGTERM, SIGINT};
    std::thread thread_;
};

// The threads of a worker, and what stops them all.
class crew_of_shifts
{
public:
    void add(std::unique_ptr<shift> one) { shifts_.push_back(std::move(one)); }
    shift& operator[](std::size_t number) { return *shifts_[number]; }

    void update(const context_plan& plan, const telemetry::logger& log)
    {
        for (const auto& each : shifts_)
            each->update(plan, log);
    }
    // Each context with its number among those of its name.
    std::vector<watched_context> watch() const
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

    // From any thread, and before the start too.
    void stop()
    {
        stopping_ = true;
        for (const auto& each : shifts_)
            each->stop();
    }
    // Runs them to their end; false when one gave up, and with it all.
    bool run(const telemetry::logger& log)
    {
        // Half a service is worse than one that its operator sees restart.
        const auto gave_up = [this, &log](const std::string& why) {
            log.error(why);
            stop();
        };
        for (const auto& each : shifts_)
            each->start(gave_up);
        if (stopping_) // Before they were all there to hear it.
            stop();
        bool well = true;
        for (const auto& each : shifts_)
            well = each->join() && well;
        return well;
    }

private:
    std::vector<std::unique_ptr<shift>> shifts_;
    std::atomic<bool> stopping_{false};
};

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

    // What is declared later is gone earlier: signals, then what looks at the contexts, then these.
    instruments seen(config, options);
    crew_of_shifts shifts;
    const std::size_t threads = std::max<std::size_t>(config.threads, 1);
    for (std::size_t i = 0; i < threads; ++i)
        shifts.add(std::make_unique<shift>(
            options.database, config.connections.value_or(connections_for(config, handlers))));
    const auto plans = plan_contexts(config, handlers);
    // More threads than contexts: each of those runs several times over, and they share its work.
    for (std::size_t i = 0; i < std::max(threads, plans.size()); ++i) {
        auto plan = plans[i % plans.size()];
        plan.options.log = options.log;
        seen.attach(plan.options);
        plan.options.line = options.database;
        plan.options.pooled_line = !deaf.empty();
        shifts[i % threads].add(std::move(plan));
    }
    const auto endpoint = seen.open_endpoint(shifts.watch());

    const auto reread = [&] {
        try {
            const auto again = plan_contexts(options.reread(), handlers);
            for (const context_plan& each : again)
                shifts.update(each, options.log);
        }
        catch (const std::exception& error) {
            options.log.error("config not taken over", {{"error", std::string(error.what())}});
        }
    };
    const auto stop = [&] {
        options.log.info("stopping: running handlers may finish");
        shifts.stop();
    };
    const signal_watch signals(stop, options.reread ? std::function<void()>(reread) : nullptr);
    const bool well = shifts.run(options.log);
    seen.close();
    options.log.info("stopped");
    return well ? 0 : 1;
}

}
