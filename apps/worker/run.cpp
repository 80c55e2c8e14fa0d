#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/runtime/scope.hpp>
#include <cuebox/worker/instruments.hpp>
#include <cuebox/worker/run.hpp>
#include <cuebox/worker/shift.hpp>
#include <cuebox/worker/start_check.hpp>

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
std::size_t connections_for(const std::vector<context_plan>& plans)
{
    std::size_t most = 0;
    for (const context_plan& each : plans) {
        const actors::settings& rules = each.options.settings;
        most += 2 * rules.lanes + 2;
        // A transactional handler of a leased event holds one while it runs.
        const handling::handler_set set(each.handlers);
        const bool mixed = std::ranges::any_of(set.leased_types(), [&](const std::string& type) {
            return std::ranges::any_of(set.for_type(type), &handling::handler::transactional,
                                       [](const auto& one) -> const auto& { return *one; });
        });
        most += mixed ? rules.workers : 0;
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

// SIGTERM and SIGINT stop, SIGHUP reads again, from a thread of its own for as long as this lives.
// Reading again asks the database: signals are heard meanwhile, and another SIGHUP comes after it.
class signal_watch
{
public:
    signal_watch(std::function<void()> stop, std::function<awaitable<void>()> reread)
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
        asio::post(io_, [this] {
            signals_.cancel();
            rereading_.cancel();
        });
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
                read_again();
            // Leases and locks bring everything back that is under way.
            else if (std::exchange(stopping_, true))
                std::_Exit(0);
            else
                stop_();
            wait();
        });
    }

    void read_again()
    {
        again_ = true;
        if (!std::exchange(reading_, true))
            rereading_.spawn(keep_reading());
    }
    awaitable<void> keep_reading()
    {
        while (std::exchange(again_, false))
            co_await reread_();
        reading_ = false;
    }

    std::function<void()> stop_;
    std::function<awaitable<void>()> reread_;
    bool stopping_ = false;
    bool again_ = false;
    bool reading_ = false;
    asio::io_context io_{1};
    scope rereading_{io_.get_executor()};
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

// Takes over what a config says by now, once the database has agreed to it; what runs stays as it
// is otherwise.
awaitable<void> read_again(const run_options& options, const registry& handlers,
                           crew_of_shifts& shifts)
{
    std::string why;
    try {
        const auto again = plan_contexts(options.reread(), handlers);
        co_await check_handlers(options.database, again);
        for (const context_plan& each : again)
            shifts.update(each, options.log);
    }
    catch (const std::exception& error) {
        if (detail::is_cancellation(std::current_exception()))
            throw;
        why = error.what();
    }
    if (!why.empty())
        options.log.error("config not taken over", {{"error", why}});
}

}

int run(const worker_config& config, const registry& handlers, run_options options)
{
    // A program that ends before it has read its event is no reason to die.
    std::signal(SIGPIPE, SIG_IGN);
    // What the config itself has wrong comes first, then what the database does not have.
    const auto plans = plan_contexts(config, handlers);
    // Whether a NOTIFY can be heard, and prepared statements kept, before anything depends on it.
    const std::string deaf = finish(outbox::why_deaf(options.database));
    finish(check_database(options.database, plans));
    if (!deaf.empty()) {
        options.log.warning(deaf);
        options.database.prepared_max = 0;
    }

    // What is declared later is gone earlier: signals, then what looks at the contexts, then these.
    instruments seen(config, options);
    crew_of_shifts shifts;
    const std::size_t threads = std::max<std::size_t>(config.threads, 1);
    for (std::size_t i = 0; i < threads; ++i)
        shifts.add(std::make_unique<shift>(options.database,
                                           config.connections.value_or(connections_for(plans))));
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

    std::function<awaitable<void>()> reread;
    if (options.reread)
        reread = [&] { return read_again(options, handlers, shifts); };
    const auto stop = [&] {
        options.log.info("stopping: running handlers may finish");
        shifts.stop();
    };
    const signal_watch signals(stop, std::move(reread));
    const bool well = shifts.run(options.log);
    seen.close();
    options.log.info("stopped");
    return well ? 0 : 1;
}

}
