#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct tick
{
    int number;
};

// Logs each part of its life.
struct hooked
{
    using messages = cuebox::messages<tick, fail, done>;
    lines* log;

    explicit hooked(lines* log_) : log(log_) { log->push_back("built"); }
    ~hooked() { log->push_back("destroyed"); }

    awaitable<void> start(self<messages>&)
    {
        log->push_back("start");
        co_return;
    }
    awaitable<void> run(self<messages>& me)
    {
        log->push_back("run");
        while (auto message = co_await me.receive()) {
            if (std::holds_alternative<fail>(*message))
                throw std::runtime_error("told to fail");
            if (std::holds_alternative<done>(*message))
                co_return;
        }
    }
    awaitable<void> stop(self<messages>& me)
    {
        log->push_back(me.stopping() ? "stop" : "stop without being asked");
        co_return;
    }
};

// Sets timers in its first life only.
struct timed
{
    using messages = cuebox::messages<tick, fail>;
    lines* log;
    int* lives;

    awaitable<void> run(self<messages>& me)
    {
        if ((*lives)++ == 0)
            set_timers(me);
        while (auto message = co_await me.receive()) {
            if (std::holds_alternative<fail>(*message))
                throw std::runtime_error("told to fail");
            const int number = std::get<tick>(*message).number;
            log->push_back(std::to_string(number));
            if (number == 5)
                me.cancel(repeated);
        }
    }
    void set_timers(self<messages>& me)
    {
        me.after(5s, tick{5});
        me.after(1s, tick{1});
        const auto never = me.after(3s, tick{3});
        repeated = me.every(2s, tick{2});
        me.cancel(never);
        me.cancel(12345);
        me.after(60s, tick{60});
    }
    std::uint64_t repeated = 0;
};

struct napping
{
    using messages = cuebox::messages<tick>;
    lines* log;
    awaitable<void> run(self<messages>& me)
    {
        const bool first = co_await me.sleep(1s);
        log->push_back(first ? "slept" : "woken");
        const bool second = co_await me.sleep(1h);
        log->push_back(second ? "slept" : "woken");
        const bool third = co_await me.sleep(1h);
        log->push_back(third ? "slept" : "woken");
    }
};

// A message that comes back with the address of the one it comes back to.
struct with_address;
using circular_set = messages<with_address>;
struct with_address
{
    address<circular_set> whom;
};
struct circular
{
    using messages = circular_set;
    awaitable<void> run(self<messages>& me)
    {
        me.after(1s, with_address{me.address()});
        (void)me.address().try_send(with_address{me.address()});
        const bool elapsed = co_await me.sleep(1h);
        (void)elapsed;
    }
};

}

TEST_CASE("an actor is built, started, run, stopped and destroyed, in that order")
{
    stage stage;
    lines log;
    tree app{stage.loop(), "app"};
    app.add<hooked>("hooked", &log);

    app.start();
    stage.stop(app);

    REQUIRE(log == lines{"built", "start", "run", "stop", "destroyed"});
}

TEST_CASE("each life is a new actor, and stop is for those that were asked to")
{
    stage stage;
    lines log;
    tree app{stage.loop(), "app", patient()};
    app.report_to(nobody_listens());
    const auto whom = app.add<hooked>("hooked", &log);
    app.start();

    REQUIRE(whom.try_send(fail{}) == sent::accepted);
    REQUIRE(whom.try_send(done{}) == sent::accepted);
    stage.run_until_idle();
    REQUIRE(log == lines{"built", "start", "run", "destroyed"});
    log.clear();
    stage.advance(1s);

    REQUIRE(log == lines{"built", "start", "run", "destroyed"});
    stage.stop(app);
}

TEST_CASE("timers ring when they are due, once or again and again, until they are cancelled")
{
    stage stage;
    lines log;
    int lives = 0;
    tree app{stage.loop(), "app"};
    app.add<timed>("timed", &log, &lives);
    app.start();

    stage.advance(20s);

    REQUIRE(log == lines{"1", "2", "2", "5"});
    stage.stop(app);
}

TEST_CASE("timers do not outlive the life that set them")
{
    stage stage;
    lines log;
    int lives = 0;
    tree app{stage.loop(), "app", patient()};
    app.report_to(nobody_listens());
    const auto whom = app.add<timed>("timed", &log, &lives);
    app.start();
    stage.advance(1s);

    REQUIRE(whom.try_send(fail{}) == sent::accepted);
    stage.advance(2min);

    REQUIRE(lives == 2);
    REQUIRE(log == lines{"1"});
    stage.stop(app);
}

TEST_CASE("a sleep ends early, and later sleeps at once, when the actor is asked to stop")
{
    stage stage;
    lines log;
    tree app{stage.loop(), "app"};
    app.add<napping>("napping", &log);
    app.start();
    stage.advance(1s);
    REQUIRE(log == lines{"slept"});

    app.stop();
    stage.run_until_idle();

    REQUIRE(log == lines{"slept", "woken", "woken"});
    REQUIRE(app.has_ended());
}

TEST_CASE("messages that hold their own actor's address are dropped with it")
{
    stage stage;
    tree app{stage.loop(), "app"};
    app.add<circular>("circular");
    app.start();

    stage.advance(2s);
    stage.stop(app);

    SUCCEED("the leak checker is the judge");
}
