#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct tick
{};
struct look
{};

// Sets a timer, ignores its mailbox for a while, and then counts what has come.
struct sleeper
{
    using messages = cuebox::messages<tick, look>;

    awaitable<void> run(self<messages>& me)
    {
        me.every(1s, tick{});
        co_await me.sleep(10s);
        while (auto message = co_await me.receive())
            ++(std::holds_alternative<tick>(*message) ? *ticks : *looks);
    }

    int* ticks;
    int* looks;
};

// Takes one message per second.
struct slow_reader
{
    using messages = cuebox::messages<add>;

    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            seen->push_back(std::get<add>(*message).number);
            co_await me.sleep(1s);
        }
    }

    std::vector<int>* seen;
};

awaitable<void> send_number(address<slow_reader::messages> whom, int number)
{
    const add message{number};
    co_await whom.send(message);
}

struct impatient
{
    using messages = cuebox::messages<tick>;

    awaitable<void> run(self<messages>& me)
    {
        me.after(0s, tick{});
        while (auto message = co_await me.receive())
            ++*ticks;
    }

    int* ticks;
};

struct sleeps_for_ever
{
    using messages = cuebox::messages<look>;

    awaitable<void> run(self<messages>& me)
    {
        const bool elapsed = co_await me.sleep(duration::max());
        *woken = !elapsed;
    }

    bool* woken;
};

}

TEST_CASE("a timer that nobody reads does not fill memory: one message of it waits")
{
    stage stage;
    tree app{stage.loop(), "app"};
    int ticks = 0;
    int looks = 0;
    app.add<sleeper>("sleeper", &ticks, &looks);
    app.start();

    stage.advance(9s);
    REQUIRE(ticks == 0);
    stage.advance(1s);
    stage.run_until_idle();

    REQUIRE(ticks == 1);
    stage.advance(2s);
    REQUIRE(ticks == 3);
    stage.stop(app);
}

TEST_CASE("nobody overtakes a sender that waits for room")
{
    stage stage;
    tree app{stage.loop(), "app"};
    std::vector<int> seen;
    auto reader = app.add<slow_reader>("reader", child_options{.capacity = 2}, &seen);
    app.start();
    scope senders(stage.loop().executor());
    for (int number = 1; number <= 5; ++number)
        senders.spawn(send_number(reader, number));
    stage.run_until_idle();

    REQUIRE(reader.try_send(add{99}) == sent::full);
    stage.advance(1s);
    REQUIRE(reader.try_send(add{99}) == sent::full);
    stage.advance(10s);

    REQUIRE(seen == std::vector{1, 2, 3, 4, 5});
    REQUIRE(senders.alive() == 0);
    stage.stop(app);
}

TEST_CASE("a wait without end is still ended by a stop")
{
    stage stage;
    tree app{stage.loop(), "app"};
    bool woken = false;
    app.add<sleeps_for_ever>("sleeper", &woken);
    app.start();
    stage.advance(24h * 365);

    stage.stop(app);

    REQUIRE(woken);
}

TEST_CASE("a timer that is due now needs no time to pass")
{
    stage stage;
    tree app{stage.loop(), "app"};
    int ticks = 0;
    app.add<impatient>("impatient", &ticks);
    app.start();

    stage.run_until_idle();

    REQUIRE(ticks == 1);
    stage.stop(app);
}

TEST_CASE("a supervisor whose children are all done is left at that")
{
    stage stage;
    tree app{stage.loop(), "app"};
    app.report_to(nobody_listens());
    std::vector<int> seen;
    app.add<adder>("adder", &seen);
    supervisor below = app.add_supervisor("below");
    auto brief = below.add<adder>("brief", child_options{.restart = restart::temporary}, &seen);
    app.start();
    stage.run_until_idle();

    REQUIRE(brief.try_send(done{}) == sent::accepted);
    stage.advance(60s);

    REQUIRE_FALSE(app.has_ended());
    REQUIRE(app.snapshot().children[1].state == actor_state::ended);
    REQUIRE(stage.stop(app).kind == exit_kind::stopped);
}
