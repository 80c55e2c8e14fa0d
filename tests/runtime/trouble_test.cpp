#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

enum class place
{
    nowhere,
    constructor,
    start,
    stop
};

// Throws in one place, in its first life only.
struct throwing
{
    using messages = cuebox::messages<add>;
    place where;
    int* lives;

    throwing(place where_, int* lives_) : where(where_), lives(lives_)
    {
        ++*lives;
        throw_in(place::constructor);
    }
    void throw_in(place here) const
    {
        if (where == here && *lives == 1)
            throw std::runtime_error("thrown");
    }
    awaitable<void> start(self<messages>&)
    {
        throw_in(place::start);
        co_return;
    }
    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
        }
    }
    awaitable<void> stop(self<messages>&)
    {
        throw_in(place::stop);
        co_return;
    }
};

// Hangs in its start, politely or not, in its first life only.
struct slow_starter
{
    using messages = cuebox::messages<add>;
    gate* until;
    bool polite;
    int* lives;

    awaitable<void> start(self<messages>&)
    {
        if (++*lives > 1)
            co_return;
        if (polite)
            co_await until->wait();
        else
            co_await until->wait_whatever_happens();
    }
    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
        }
    }
};

// Heeds neither stop nor cancel.
struct deaf
{
    using messages = cuebox::messages<add>;
    gate* until;
    bool* destroyed;
    bool* running;

    deaf(gate* until_, bool* destroyed_, bool* running_)
        : until(until_),
          destroyed(destroyed_),
          running(running_)
    {}
    ~deaf() { *destroyed = true; }
    awaitable<void> run(self<messages>&)
    {
        *running = true;
        co_await until->wait_whatever_happens();
        *running = false;
    }
};

lines reports_of(place where)
{
    stage stage;
    journal reports;
    int lives = 0;
    tree app{stage.loop(), "app", patient()};
    app.report_to(reports.writer());
    app.add<throwing>("a", where, &lives);
    app.add<adder>("b");
    app.start();
    stage.advance(1s);
    stage.stop(app);
    return reports.all;
}

}

TEST_CASE(
    "an actor that throws in its constructor or its start is restarted before the next starts")
{
    const lines expected{"failed app/a",  "restarting app/a", "started app/a",
                         "started app/b", "ended app/b",      "ended app/a"};

    REQUIRE(reports_of(place::constructor) == expected);
    REQUIRE(reports_of(place::start) == expected);
}

TEST_CASE("an actor that throws in its stop is reported and the tree stops all the same")
{
    REQUIRE(reports_of(place::stop) ==
            lines{"started app/a", "started app/b", "ended app/b", "failed app/a"});
}

TEST_CASE("a start that takes longer than its deadline is cancelled and tried again")
{
    stage stage;
    gate closed(stage);
    journal reports;
    int lives = 0;
    tree app{stage.loop(), "app", patient()};
    app.report_to(reports.writer());
    app.add<slow_starter>("slow", child_options{.start_deadline = 3s}, &closed, true, &lives);
    app.add<adder>("next");
    app.start();

    stage.advance(3s);
    REQUIRE(reports.take() == lines{"overdue app/slow", "failed app/slow", "restarting app/slow"});
    stage.advance(1s);

    REQUIRE(reports.take() == lines{"started app/slow", "started app/next"});
    stage.stop(app);
}

TEST_CASE("a stop while a start hangs cancels it at the stop deadline")
{
    stage stage;
    gate closed(stage);
    journal reports;
    int lives = 0;
    tree app{stage.loop(), "app"};
    app.report_to(reports.writer());
    app.add<slow_starter>("slow", child_options{.start_deadline = 1h, .stop_deadline = 2s}, &closed,
                          true, &lives);
    app.start();
    stage.run_until_idle();

    const exit_reason end = stage.stop(app);

    REQUIRE(end.kind == exit_kind::stopped);
    REQUIRE(reports.all == lines{"overdue app/slow", "ended app/slow"});
}

TEST_CASE("an actor stuck in its start that starts after all can still be stopped")
{
    stage stage;
    gate opened(stage);
    journal reports;
    int lives = 0;
    tree app{stage.loop(), "app", patient()};
    app.report_to(reports.writer());
    app.add<slow_starter>("slow", child_options{.start_deadline = 1s, .stop_deadline = 1s}, &opened,
                          false, &lives);
    app.start();
    stage.advance(3s);
    REQUIRE(reports.take() == lines{"overdue app/slow", "stuck app/slow"});

    opened.open();
    stage.run_until_idle();
    const exit_reason end = stage.stop(app);

    REQUIRE(end.kind == exit_kind::stopped);
    REQUIRE(reports.take() == lines{"started app/slow", "ended app/slow"});
}

TEST_CASE("an actor that heeds neither stop nor cancel is named, and never destroyed while it runs")
{
    stage stage;
    gate opened(stage);
    journal reports;
    bool destroyed = false, running = false;
    tree app{stage.loop(), "app"};
    app.report_to(reports.writer());
    app.add<adder>("a");
    app.add<deaf>("deaf", child_options{.stop_deadline = 2s}, &opened, &destroyed, &running);
    app.start();
    stage.run_until_idle();
    (void)reports.take();

    app.stop();
    stage.advance(2s);
    REQUIRE(reports.take() == lines{"overdue app/deaf"});
    stage.advance(2s);
    REQUIRE(reports.take() == lines{"stuck app/deaf", "ended app/a"});
    stage.advance(1h);
    REQUIRE(running);
    REQUIRE_FALSE(destroyed);
    REQUIRE_FALSE(app.has_ended());
    REQUIRE_THROWS_AS(stage.stop(app), std::logic_error);
    opened.open();
    stage.run_until_idle();

    REQUIRE(destroyed);
    REQUIRE(app.has_ended());
    REQUIRE(reports.take() == lines{"ended app/deaf"});
}
