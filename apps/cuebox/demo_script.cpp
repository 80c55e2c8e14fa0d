#include "demo_script.hpp"

#include "progress.hpp"

#include <cuebox/cli/command.hpp>
#include <cuebox/event/uuid.hpp>
#include <cuebox/runtime/ask.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <functional>

namespace cuebox::cli {

// The row of a dead letter, as an operator looks at it.
struct demo_dead_letter
{
    std::string status;
    std::int32_t attempts = 0;
    std::string last_error;
    std::int64_t cycles = 0;
};

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;
using clock = std::chrono::steady_clock;

// Nothing here takes long: what takes this long does not work.
constexpr std::chrono::seconds patience{20};
constexpr std::size_t transaction_events = 250;

constexpr pg::statement kill_listener{
    .name = "kill the listener",
    .sql = "select count(*) filter (where pg_terminate_backend(pid)) from pg_stat_activity "
           "where application_name = 'cuebox listener' and datname = current_database()"};
constexpr pg::statement read_row{
    .name = "read dead letter",
    .sql = "select status, attempts, coalesce(last_error, '') as last_error, "
           "jsonb_array_length(failure_history)::bigint as cycles from core.outbox where id = $1"};
constexpr pg::statement replay{.name = "replay",
                               .sql = "select core.outbox_replay($1, $2, 'cuebox demo')"};

pg::awaitable<void> wait(clock::duration time)
{
    const auto executor = co_await asio::this_coro::executor;
    asio::steady_timer timer{executor, time};
    co_await timer.async_wait(asio::use_awaitable);
}

// For those who read along.
pg::awaitable<void> let_read(const demo_cast& cast, clock::duration time)
{
    if (cast.screen.watched())
        co_await wait(time);
}

pg::awaitable<void> wait_until(std::function<bool()> holds, std::string what)
{
    const auto deadline = clock::now() + patience;
    while (!holds()) {
        if (clock::now() > deadline)
            throw failure{"the demo waited for " + what + " for 20 s in vain: please report it"};
        co_await wait(5ms);
    }
}

pg::awaitable<void> wait_until_drained(demo_cast& cast)
{
    const auto& figures = cast.figures;
    co_await wait_until([&figures] { return figures.backlog() == 0; },
                        "all events to be delivered");
}

pg::awaitable<bool> is_listening(const demo_cast& cast)
{
    bool listening = false;
    try {
        const actors::line_health health = co_await cast.context.line();
        listening = health.listening;
    }
    catch (const ask_error&) {
        // It is starting or stopping.
    }
    co_return listening;
}

pg::awaitable<void> wait_for_line(const demo_cast& cast, bool listening)
{
    const auto deadline = clock::now() + patience;
    for (;;) {
        const bool now = co_await is_listening(cast);
        if (now == listening)
            co_return;
        if (clock::now() > deadline)
            throw failure{"the demo waited for the LISTEN connection for 20 s: please report it"};
        co_await wait(5ms);
    }
}

pg::awaitable<void> publish(demo_cast& cast, std::size_t events, std::size_t fails_each = 0)
{
    co_await cast.shop.publish(cast.database, events, fails_each);
    cast.figures.add_published(events);
}

pg::awaitable<void> publish_calmly(demo_cast& cast)
{
    cast.screen.begin();
    for (std::size_t i = 0; i < demo_calm_events; ++i) {
        co_await publish(cast, 1);
        co_await wait(8ms);
    }
    co_await wait_until_drained(cast);
    const demo_latency latency = co_await measure_latency(cast.database);
    cast.account.calm_p50_ms = latency.p50_ms;
    cast.account.calm_p99_ms = latency.p99_ms;
    char text[64];
    std::snprintf(text, sizeof text, "p50 %.1f ms, p99 %.1f ms", latency.p50_ms, latency.p99_ms);
    cast.screen.finish(text);
}

pg::awaitable<void> publish_waves(demo_cast& cast)
{
    cast.screen.begin();
    for (const std::size_t wave : demo_waves) {
        cast.screen.say("a wave of " + with_commas(wave));
        // In a few transactions, as they would come.
        for (std::size_t left = wave; left > 0; left -= transaction_events)
            co_await publish(cast, transaction_events, demo_fails_each);
        co_await let_read(cast, 1s);
    }
    cast.screen.say("the last retries");
    co_await wait_until_drained(cast);
    cast.screen.finish(with_commas(cast.figures.retries()) + " retries, all delivered");
}

pg::awaitable<void> lose_the_line(demo_cast& cast)
{
    cast.screen.begin();
    co_await let_read(cast, 500ms);
    cast.account.line_lost = co_await cast.database.query_one<std::int64_t>(kill_listener);
    const auto killed = clock::now();
    co_await wait_for_line(cast, false);
    cast.screen.say("deaf: nobody hears NOTIFY");
    co_await publish(cast, demo_deaf_events);
    co_await wait_for_line(cast, true);
    const auto back = std::chrono::floor<std::chrono::microseconds>(clock::now() - killed);
    cast.account.line_back_after_ms = static_cast<double>(back.count()) / 1'000;
    cast.screen.say("back, and catching up");
    co_await wait_until_drained(cast);
    cast.screen.finish("back after " + print_short(back) + ", none lost");
}

pg::awaitable<void> bury_and_replay(demo_cast& cast)
{
    cast.screen.begin();
    const std::string address = "Nowhere 9";
    const event::uuid id = co_await cast.shop.send_parcel(cast.database, address);
    cast.figures.add_published(1);
    const auto& figures = cast.figures;
    co_await wait_until([&figures, id] { return figures.is_failing(id); }, "an event to fail");
    demo_dead_letter row;
    const auto deadline = clock::now() + patience;
    while (row.status != "failed" && clock::now() < deadline) {
        row = co_await cast.database.query_one<demo_dead_letter>(read_row, id);
        co_await wait(5ms);
    }
    cast.account.dead_letter_error = row.last_error;
    cast.screen.say("a dead letter");
    cast.screen.detail(
        {"parcel.sent " + event::print_uuid(id), "status " + row.status + ": " + row.last_error});
    co_await let_read(cast, 2'500ms);

    cast.shop.carrier().addresses.insert(address);
    co_await cast.database.execute(replay, id, cast.generation);
    cast.screen.say("replayed");
    co_await wait_until([&figures, id] { return figures.was_delivered(id); },
                        "the replayed event to be delivered");
    while (row.status != "delivered" && clock::now() < deadline) {
        row = co_await cast.database.query_one<demo_dead_letter>(read_row, id);
        co_await wait(5ms);
    }
    cast.screen.finish(row.status + " after its replay");
    cast.screen.detail({"parcel.sent " + event::print_uuid(id),
                        "status " + row.status + "; its failure_history has " +
                            std::to_string(row.cycles) + " entry"});
    co_await let_read(cast, 2'500ms);
}

// Told before they are committed: the last ones may still be on their way into the database.
pg::awaitable<void> settle_accounts(demo_cast& cast)
{
    const auto deadline = clock::now() + 5s;
    do {
        co_await audit(cast.database, cast.shop, cast.account);
        if (!cast.account.adds_up)
            co_await wait(50ms);
    } while (!cast.account.adds_up && clock::now() < deadline);
    cast.account.peak_per_second = static_cast<std::int64_t>(cast.figures.peak());
}

}

std::vector<std::string> demo_acts()
{
    return {"private Postgres, schema, context",
            with_commas(demo_calm_events) + " events, a transaction each",
            with_commas(demo_wave_events) + " events in waves; 1 in " +
                with_commas(demo_fails_each) + " fails",
            "LISTEN connection killed; " + with_commas(demo_deaf_events) + " events",
            "an event that fails for good"};
}

pg::awaitable<void> perform(demo_cast& cast)
{
    co_await wait_for_line(cast, true);
    cast.screen.finish("listening");
    co_await publish_calmly(cast);
    co_await publish_waves(cast);
    co_await lose_the_line(cast);
    co_await bury_and_replay(cast);
    co_await settle_accounts(cast);
}

pg::awaitable<void> keep_drawing(demo_cast& cast)
{
    for (;;) {
        const bool listening = co_await is_listening(cast);
        cast.screen.set_line(listening ? "up" : "down");
        cast.figures.tick(clock::now());
        cast.screen.refresh();
        co_await wait(100ms);
    }
}

}
