#include <cuebox/outbox/pg_relay.hpp>
#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/runtime/scope.hpp>
#include <cuebox/worker/crew.hpp>
#include <cuebox/worker/instruments.hpp>
#include <cuebox/worker/run.hpp>
#include <cuebox/worker/start_check.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
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
            // Leases and locks bring everything back that is under way. One order may come twice at
            // the same moment, as `timeout` sends it: to the process, and to its group.
            else if (!stopping_since_)
                begin_to_stop();
            else if (std::chrono::steady_clock::now() - *stopping_since_ > same_order)
                std::_Exit(0);
            wait();
        });
    }

    void begin_to_stop()
    {
        stopping_since_ = std::chrono::steady_clock::now();
        stop_();
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
    static constexpr std::chrono::milliseconds same_order{100};
    std::optional<std::chrono::steady_clock::time_point> stopping_since_;
    bool again_ = false;
    bool reading_ = false;
    asio::io_context io_{1};
    scope rereading_{io_.get_executor()};
    asio::signal_set signals_{io_, SIGTERM, SIGINT};
    std::thread thread_;
};

// Takes over what a config says by now, once the database has agreed to it; what runs stays as it
// is otherwise.
awaitable<void> read_again(const run_options& options, crew& all)
{
    std::string why;
    try {
        const worker_config again = options.reread();
        auto plans = all.plans(again);
        co_await check_handlers(options.database, std::move(plans));
        all.update(again, options.log);
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

int run(crew& all, run_options options)
{
    // A program that ends before it has read its event is no reason to die.
    std::signal(SIGPIPE, SIG_IGN);
    // What the config itself has wrong comes first, then what the database does not have.
    const auto plans = all.plans(all.config());
    // Whether a NOTIFY can be heard, and prepared statements kept, before anything depends on it.
    const std::string deaf = finish(outbox::why_deaf(options.database));
    finish(check_database(options.database, plans));
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

    std::function<awaitable<void>()> reread;
    if (options.reread)
        reread = [&] { return read_again(options, all); };
    const auto stop = [&] {
        options.log.info("stopping: running handlers may finish");
        all.stop();
    };
    const signal_watch signals(stop, std::move(reread));
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
