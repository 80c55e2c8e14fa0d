#include "bench_case.hpp"

#include "bench_runner.hpp"
#include "progress.hpp"

#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/pg/transaction.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace cuebox::cli {

namespace {

using steady = std::chrono::steady_clock;

// Between two looks at how far a drain is.
constexpr std::chrono::milliseconds look_every{2};

actors::settings tuned()
{
    actors::settings made;
    made.workers = 64;
    made.claim.batch_max = 1'000;
    return made;
}

std::int64_t now_ns()
{
    return std::chrono::nanoseconds(steady::now().time_since_epoch()).count();
}

awaitable<void> fill(bench_runner& runner, std::int64_t events, progress& shown)
{
    constexpr std::int64_t per_copy = 10'000;
    const outbox::publisher publisher{{.source = "bench", .generation = runner.generation()}};
    for (std::int64_t done = 0; done < events;) {
        pg::transaction work{runner.side()};
        auto bulk = co_await outbox::bulk::start(work);
        for (std::int64_t i = 0; i < per_copy && done < events; ++i, ++done) {
            const bench_event filled = make_event(done);
            const auto event = publisher.prepare(filled);
            co_await bulk.add(event);
            shown.show(static_cast<std::size_t>(done),
                       static_cast<double>(done) / static_cast<double>(events));
        }
        co_await bulk.finish();
        co_await work.commit();
    }
}

awaitable<void> publish_one(bench_runner& runner, std::int64_t number)
{
    const outbox::publisher publisher{{.source = "bench", .generation = runner.generation()}};
    pg::transaction work{runner.side()};
    bench_event event = make_event(number);
    event.sent = now_ns();
    co_await publisher.publish(work, event);
    co_await work.commit();
}

awaitable<void> pause(std::chrono::milliseconds time)
{
    boost::asio::steady_timer timer(co_await boost::asio::this_coro::executor, time);
    co_await timer.async_wait(boost::asio::use_awaitable);
}

double per_event(std::int64_t before, std::int64_t after, std::int64_t events)
{
    return static_cast<double>(after - before) / static_cast<double>(events);
}

template <class Result>
void add_counts(Result& result, const server_counts& before, const server_counts& after)
{
    result.commits_per_event = per_event(before.commits, after.commits, result.events);
    result.wal_bytes_per_event = per_event(before.wal, after.wal, result.events);
    result.dead_tuples_per_event = per_event(before.dead, after.dead, result.events);
}

}

std::vector<bench_case> bench_cases(const std::string& delivery, const std::string& settings,
                                    std::optional<std::size_t> batch)
{
    std::vector<bench_case> cases;
    for (const bool transactional : {false, true})
        for (const bool is_tuned : {false, true}) {
            const std::string kind = transactional ? "transactional" : "leased";
            const std::string how = is_tuned ? "tuned" : "stock";
            if ((delivery != "both" && delivery != kind) || (settings != "both" && settings != how))
                continue;
            bench_case made{.name = kind + ", " + how,
                            .transactional = transactional,
                            .settings = is_tuned ? tuned() : actors::settings{}};
            if (batch) {
                made.settings.claim = {.batch_min = *batch, .batch_max = *batch};
                made.name += ", batch " + std::to_string(*batch);
            }
            cases.push_back(std::move(made));
        }
    return cases;
}

drain_result run_drain(const pg::connect_options& database, const bench_case& how,
                       std::int64_t events, bool silent)
{
    bench_runner runner(database, how, [](const bench_event&) {});
    {
        progress filling(silent);
        runner.run(fill(runner, events, filling));
    }
    progress shown(silent);
    const server_counts before = count_server(runner);
    const auto began = steady::now();
    runner.start();
    runner.wait_until_settled(events, [&] {
        const auto handled = runner.handled();
        shown.show(static_cast<std::size_t>(handled),
                   static_cast<double>(handled) / static_cast<double>(events));
        runner.run(pause(look_every));
    });
    const double seconds = std::chrono::duration<double>(steady::now() - began).count();
    runner.stop();
    const server_counts after = count_server(runner);

    drain_result result{.name = how.name,
                        .events = events,
                        .seconds = seconds,
                        .durable_per_second = static_cast<double>(events) / seconds};
    add_counts(result, before, after);
    return result;
}

latency_result run_latency(const pg::connect_options& database, const bench_case& how,
                           std::int64_t events, bool silent)
{
    std::mutex mutex;
    std::condition_variable arrived;
    std::vector<std::int64_t> took;
    bench_runner runner(database, how, [&](const bench_event& event) {
        const std::int64_t now = now_ns();
        const std::lock_guard lock{mutex};
        took.push_back(now - event.sent);
        arrived.notify_one();
    });
    runner.start();
    runner.wait_until_listening();

    progress shown(silent);
    constexpr std::int64_t warm_up = 20;
    server_counts before;
    for (std::int64_t i = 0; i < warm_up + events; ++i) {
        if (i == warm_up) {
            took.clear();
            before = count_server(runner);
        }
        runner.run(publish_one(runner, i));
        std::unique_lock lock{mutex};
        const auto wanted = static_cast<std::size_t>(i < warm_up ? i + 1 : i - warm_up + 1);
        arrived.wait(lock, [&] { return took.size() >= wanted; });
        lock.unlock();
        runner.run(pause(std::chrono::milliseconds(5))); // So that it is idle again.
        // Of the events that are measured; the warm-up is not among them.
        const std::int64_t measured = std::max<std::int64_t>(i + 1 - warm_up, 0);
        shown.show(static_cast<std::size_t>(measured),
                   static_cast<double>(measured) / static_cast<double>(events));
    }
    runner.stop();
    const server_counts after = count_server(runner);

    std::ranges::sort(took);
    const auto at = [&](double share) {
        const auto index = static_cast<std::size_t>(share * static_cast<double>(took.size() - 1));
        return static_cast<double>(took[index]) / 1e6;
    };
    latency_result result{.name = how.name,
                          .events = events,
                          .p50 = at(0.5),
                          .p95 = at(0.95),
                          .p99 = at(0.99),
                          .max = at(1)};
    add_counts(result, before, after);
    return result;
}

}
