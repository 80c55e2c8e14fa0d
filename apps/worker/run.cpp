#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/outbox/roles.hpp>
#include <cuebox/worker/crew.hpp>
#include <cuebox/worker/instruments.hpp>
#include <cuebox/worker/run.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_future.hpp>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <thread>

namespace cuebox::worker {

namespace {

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
    const bool recent = co_await connection.query_one<bool>(find_function, "outbox_trace_of");
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

}

int run(crew& all, run_options options)
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
    instruments seen(all.config(), options);
    const auto dismiss = [](crew* them) { them->dismiss(); };
    const std::unique_ptr<crew, decltype(dismiss)> dismissed_at_the_end(&all, dismiss);
    all.open(options.database, options.log, [&](context_options& each) {
        seen.attach(each);
        each.pooled_line = !deaf.empty();
    });
    const auto endpoint = seen.open_endpoint(all.watch());

    const auto reread = [&] {
        try {
            all.update(options.reread(), options.log);
        }
        catch (const std::exception& error) {
            options.log.error("config not taken over", {{"error", std::string(error.what())}});
        }
    };
    const auto stop = [&] {
        options.log.info("stopping: running handlers may finish");
        all.stop();
    };
    const signal_watch signals(stop, options.reread ? std::function<void()>(reread) : nullptr);
    const bool well = all.run(options.log);
    seen.close();
    options.log.info("stopped");
    return well ? 0 : 1;
}

int run(const worker_config& config, const equipment& equip, run_options options)
{
    crew all(config, equip);
    return run(all, std::move(options));
}

int run(const worker_config& config, const registry& handlers, run_options options)
{
    return run(config, equip_with(handlers), std::move(options));
}

}
