#pragma once

#include "bench_case.hpp"

#include <cuebox/actors/context.hpp>
#include <cuebox/handlers/registry.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <atomic>
#include <thread>

namespace cuebox::cli {

struct bench_event
{
    static constexpr std::string_view event_type = "cuebox.bench";
    static constexpr int event_version = 1;

    std::int64_t number{};
    // Sent when, by the steady clock of this machine, in nanoseconds.
    std::int64_t sent{};
    std::string filling{};
};

// A bench_event of about 200 bytes of JSON.
bench_event make_event(std::int64_t number);

// A context with one handler that does nothing but count, on a thread of its own, at a generation
// of its own, so that whatever else the database holds is left alone.
class bench_runner
{
public:
    // `handled` is called on the context's thread for each event.
    bench_runner(const pg::connect_options& database, const bench_case& how,
                 std::function<void(const bench_event&)> handled);
    ~bench_runner();
    bench_runner(const bench_runner&) = delete;
    bench_runner& operator=(const bench_runner&) = delete;

    void start();
    // Its connections are closed then, and what they did is in the server's statistics.
    void stop();
    std::int64_t generation() const noexcept { return generation_; }
    std::int64_t handled() const noexcept { return handled_.load(std::memory_order_relaxed); }

    // Until it listens, and until every event of the generation is settled.
    void wait_until_listening();
    void wait_until_settled(std::int64_t events, const std::function<void()>& meanwhile);

    // On a connection beside the context's.
    template <class Row>
    Row query(const pg::statement& what)
    {
        return asio::co_spawn(side_io_, ask<Row>(what), asio::use_future).get();
    }
    template <class T>
    T run(awaitable<T> work)
    {
        return asio::co_spawn(side_io_, std::move(work), asio::use_future).get();
    }
    pg::connection& side() noexcept { return *side_; }

private:
    template <class Row>
    awaitable<Row> ask(pg::statement what)
    {
        co_return co_await side_->query_one<Row>(what, generation_);
    }
    awaitable<void> open_side(pg::connect_options database);
    static awaitable<void> count(bench_runner* self, delivery<bench_event> event);
    static awaitable<void> count_within(bench_runner* self, delivery<bench_event> event,
                                        pg::transaction& work);

    std::function<void(const bench_event&)> on_handled_;
    std::atomic<std::int64_t> handled_{0};
    std::int64_t generation_ = 0;

    // The publishing side has a thread of its own too, so that neither waits for the other.
    asio::io_context side_io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> side_guard_{side_io_.get_executor()};
    std::thread side_thread_{[this] { side_io_.run(); }};
    std::optional<pg::connection> side_;

    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
    cuebox::loop loop_{io_.get_executor()};
    std::optional<pg::pool> pool_;
    std::optional<cuebox::context> context_;
    std::thread thread_;
};

// What the server did, as it counts it.
struct server_counts
{
    std::int64_t commits{};
    std::int64_t wal{};
    std::int64_t dead{};
};
server_counts count_server(bench_runner& runner);

}
