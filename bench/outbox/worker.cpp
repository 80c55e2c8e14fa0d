#include "worker.hpp"

#include <cuebox/policy/failure.hpp>

#include <chrono>
#include <stdexcept>

namespace bench::outbox {

namespace {

using cuebox::awaitable;
using cuebox::delivery;

constexpr std::chrono::milliseconds look_every{3};
constexpr std::chrono::seconds quiet{1};
// Actors beside the lanes that ask the database now and then, rarely more at a time.
constexpr std::size_t helpers = 2;

constexpr pg::statement open_rows{.name = "open rows",
                                  .sql = "select core.outbox_has_open($1::bigint)"};
constexpr pg::statement insert_row{.name = "insert row", .sql = R"(
insert into public.projection (number, filling) values ($1::bigint, $2::text))"};

cuebox::actors::settings settings_for(const task& wanted)
{
    cuebox::actors::settings made;
    if (wanted.settings == "tuned") {
        made.workers = 64;
        made.claim.batch_max = 1'000;
        // A handler that waits for its own statements leaves the server idle meanwhile.
        made.lanes = wanted.handler == "waiting" ? 4 : 2;
    }
    else if (wanted.settings == "unbatched") {
        made.claim = {.batch_min = 1, .batch_max = 1};
        made.lanes = 12;
    }
    else if (wanted.settings != "stock")
        throw std::invalid_argument("settings '" + wanted.settings +
                                    "': take stock, tuned or unbatched");
    if (wanted.batch)
        made.claim = {.batch_min = *wanted.batch, .batch_max = *wanted.batch};
    made.lanes = wanted.lanes.value_or(made.lanes);
    made.workers = wanted.workers.value_or(made.workers);
    return made;
}

awaitable<void> add_row(delivery<bench_event> event, pg::transaction& work)
{
    work.send_along(insert_row, event->number, event->filling);
    co_return;
}

// With a round trip for each, as a handler does that reads what the statement gives.
awaitable<void> add_row_and_wait(delivery<bench_event> event, pg::transaction& work)
{
    co_await work.execute(insert_row, event->number, event->filling);
}

void fail_every_tenth(const bench_event& event)
{
    if (event.number % 10 == 0)
        throw cuebox::terminal_error("every tenth fails");
}

}

void worker::count(const bench_event& event)
{
    seen_(event);
    handled_.fetch_add(1, std::memory_order_relaxed);
}

cuebox::registry worker::handlers(const task& wanted)
{
    const bool fails = wanted.handler == "failing";
    const bool waits = wanted.handler == "waiting";
    if (!fails && !wanted.writes() && wanted.handler != "noop")
        throw std::invalid_argument("handler '" + wanted.handler +
                                    "': take noop, row, waiting or failing");
    if (wanted.writes() && !wanted.transactional())
        throw std::invalid_argument("handler '" + wanted.handler +
                                    "' writes in the event's transaction: take delivery "
                                    "'transactional'");
    const auto see = [this, fails](const bench_event& event) {
        count(event);
        if (fails)
            fail_every_tenth(event);
    };
    cuebox::registry made;
    if (wanted.writes())
        made.on<bench_event>("bench.row",
                             [this, waits](delivery<bench_event> event, pg::transaction& work) {
                                 count(*event);
                                 return waits ? add_row_and_wait(std::move(event), work)
                                              : add_row(std::move(event), work);
                             });
    else if (wanted.transactional())
        made.on<bench_event>(
            "bench.see", [see](delivery<bench_event> event, pg::transaction&) -> awaitable<void> {
                return [](auto seen, delivery<bench_event> one) -> awaitable<void> {
                    seen(*one);
                    co_return;
                }(see, std::move(event));
            });
    else
        made.on<bench_event>("bench.see", [see](delivery<bench_event> event) -> awaitable<void> {
            return [](auto seen, delivery<bench_event> one) -> awaitable<void> {
                seen(*one);
                co_return;
            }(see, std::move(event));
        });
    return made;
}

worker::worker(const task& wanted, std::int64_t generation, observer seen)
    : seen_(std::move(seen)),
      generation_(generation)
{
    cuebox::context_options options;
    options.name = "bench";
    options.generation = generation;
    options.settings = settings_for(wanted);
    const std::size_t connections = options.settings.lanes + helpers;
    options.log = {};
    pool_.emplace(pg::pool_options{.connect = the_database(),
                                   .rules = {.size = 2 * options.settings.lanes + 4}});
    context_.emplace(loop_, *pool_, handlers(wanted).take(), std::move(options));
    thread_ = std::thread([this] { io_.run(); });
    // As the peers' pools, whose connections are all open before the clock runs.
    asio::co_spawn(io_, pool_->warm(connections), asio::use_future).get();
}

worker::~worker()
{
    context_->stop();
    asio::co_spawn(io_, context_->ended(), asio::use_future).get();
    asio::post(io_, [this] { pool_->close(); });
    guard_.reset();
    thread_.join();
}

void worker::wait_until_listening()
{
    while (!context_->health().listening)
        pause(look_every);
}

std::int64_t worker::settled() const
{
    const auto so_far = context_->settled();
    return static_cast<std::int64_t>(so_far.delivered + so_far.failed);
}

void worker::wait_until_settled(std::int64_t expected) const
{
    while (settled() < expected)
        pause(look_every);
}

steady::time_point worker::wait_until_nothing_is_left(session& side) const
{
    auto last = steady::now();
    for (std::int64_t before = 0;; pause(look_every)) {
        const auto now = steady::now();
        if (const auto so_far = settled(); so_far != before) {
            before = so_far;
            last = now;
        }
        // To ask passes over all rows there are: only when it seems to be over.
        else if (now - last > quiet && !has_open(side))
            return last;
    }
}

bool worker::has_open(session& side) const
{
    return side.ask<bool>(open_rows, generation_);
}

}
