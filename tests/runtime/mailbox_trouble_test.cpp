#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct ping
{};
struct last_words;
using echo_set = messages<ping, last_words, done>;

// Sends when it is destroyed: a message's destructor is foreign code that runs anywhere.
struct last_words
{
    explicit last_words(address<echo_set> to) : whom(std::move(to)) {}
    last_words(last_words&&) = default;
    last_words& operator=(last_words&&) = default;
    ~last_words()
    {
        if (whom)
            (void)whom.try_send(ping{});
    }
    address<echo_set> whom;
};

struct echo
{
    using messages = echo_set;
    int* pings;
    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            if (std::holds_alternative<ping>(*message))
                ++*pings;
            if (std::holds_alternative<done>(*message))
                co_return;
        }
    }
};

awaitable<void> send_one(address<echo_set> whom)
{
    last_words message(whom);
    co_await whom.send(std::move(message));
}

// Sends to the other for ever, never looking at its own mailbox.
struct talker
{
    using messages = cuebox::messages<add, exited>;
    awaitable<void> run(self<messages>& me)
    {
        auto message = co_await me.receive();
        if (!message)
            co_return;
        for (;;) {
            add next{1};
            const sent answer = co_await other->send(next);
            if (answer == sent::gone)
                co_return;
        }
    }
    address<messages>* other;
};

awaitable<void> send_and_tell(address<adder::messages> whom, sent& answer)
{
    const add message{3};
    answer = co_await whom.send(message);
}

// Handles messages for ever by sending itself the next one.
struct flooder
{
    using messages = cuebox::messages<ping>;
    int* handled;
    int limit;
    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive())
            if (++*handled < limit)
                (void)me.address().try_send(ping{});
    }
};

struct mayfly
{
    using messages = cuebox::messages<ping>;
    awaitable<void> run(self<messages>&) { co_return; }
};

// Waits behind a gate while its mailbox is full, then tells what it finds.
struct sleeper
{
    using messages = cuebox::messages<add, ping, exited>;
    gate* until;
    lines* log;
    awaitable<void> run(self<messages>& me)
    {
        me.after(1s, ping{});
        me.spawn<mayfly>("child");
        co_await until->wait_whatever_happens();
        while (auto message = co_await me.receive())
            log->push_back(std::holds_alternative<add>(*message)    ? "add"
                           : std::holds_alternative<ping>(*message) ? "timer"
                                                                    : "exited");
        log->push_back("stopped");
    }
};

}

TEST_CASE("a message's destructor may send to the same mailbox")
{
    stage stage;
    tree app{stage.loop(), "app"};
    int pings = 0;
    const auto whom = app.add<echo>("echo", &pings);

    for (int i = 0; i < 100; ++i)
        REQUIRE(whom.try_send(last_words(whom)) == sent::accepted);
    app.start();
    stage.run_until_idle();

    REQUIRE(pings == 100);
    stage.stop(app);
}

TEST_CASE("messages that send from their destructors do no harm in a full or ended mailbox")
{
    stage stage;
    tree app{stage.loop(), "app"};
    int pings = 0;
    const auto whom = app.add<echo>("echo", child_options{.capacity = 4}, &pings);
    scope senders{stage.loop().executor()};
    for (int i = 0; i < 20; ++i)
        senders.spawn(send_one(whom));
    stage.run_until_idle();
    app.start();

    app.stop();
    stage.stop(app);
    stage.run(senders.join());

    REQUIRE(senders.alive() == 0);
    REQUIRE(whom.try_send(ping{}) == sent::gone);
}

TEST_CASE("a waiting sender whose message sends when destroyed gets through")
{
    stage stage;
    tree app{stage.loop(), "app"};
    int pings = 0;
    const auto whom = app.add<echo>("echo", child_options{.capacity = 1}, &pings);
    scope senders{stage.loop().executor()};
    for (int i = 0; i < 20; ++i)
        senders.spawn(send_one(whom));

    app.start();
    stage.run(senders.join());
    stage.run_until_idle();

    REQUIRE(whom.try_send(ping{}) == sent::accepted);
    stage.stop(app);
}

TEST_CASE(
    "two actors that fill each other's mailbox both wait until a stop ends one by name, and the "
    "other learns of it")
{
    stage stage;
    journal reports;
    tree app{stage.loop(), "app"};
    app.report_to(reports.writer());
    address<talker::messages> left, right;
    left = app.add<talker>("left", child_options{.capacity = 4}, &right);
    right = app.add<talker>("right", child_options{.capacity = 4}, &left);
    app.start();
    REQUIRE(left.try_send(add{1}) == sent::accepted);
    REQUIRE(right.try_send(add{1}) == sent::accepted);
    stage.run_until_idle();
    REQUIRE(left.try_send(add{1}) == sent::full);

    const exit_reason end = stage.stop(app);

    REQUIRE(end.kind == exit_kind::stopped);
    REQUIRE(reports.has("overdue app/right"));
    REQUIRE_FALSE(reports.has("overdue app/left"));
    REQUIRE_FALSE(reports.has("failed app/left"));
}

TEST_CASE("an actor that floods itself does not starve its neighbour")
{
    stage stage;
    tree app{stage.loop(), "app"};
    int flood = 0, calm = 0;
    const auto noisy = app.add<flooder>("noisy", &flood, 100'000);
    const auto quiet = app.add<flooder>("quiet", &calm, 100);
    app.start();
    stage.run_until_idle();

    int flood_when_done = 0;
    struct witness
    {
        using messages = cuebox::messages<ping>;
        int *calm, *flood, *result;
        awaitable<void> run(self<messages>& me)
        {
            while (auto message = co_await me.receive()) {
                if (*calm < 100)
                    (void)me.address().try_send(ping{});
                else
                    *result = *flood;
            }
        }
    };
    tree other{stage.loop(), "other"};
    const auto watch = other.add<witness>("witness", &calm, &flood, &flood_when_done);
    other.start();
    REQUIRE(noisy.try_send(ping{}) == sent::accepted);
    REQUIRE(quiet.try_send(ping{}) == sent::accepted);
    REQUIRE(watch.try_send(ping{}) == sent::accepted);
    stage.run_until_idle();

    REQUIRE(calm == 100);
    REQUIRE(flood == 100'000);
    REQUIRE(flood_when_done < 5'000);
    stage.stop(app);
    stage.stop(other);
}

TEST_CASE("timers and news of children get through a full mailbox")
{
    stage stage;
    gate opened(stage);
    lines log;
    tree app{stage.loop(), "app"};
    const auto whom = app.add<sleeper>("sleeper", child_options{.capacity = 1}, &opened, &log);
    app.start();
    REQUIRE(whom.try_send(add{1}) == sent::accepted);
    REQUIRE(whom.try_send(add{1}) == sent::full);

    stage.advance(2s);
    opened.open();
    stage.run_until_idle();

    REQUIRE(log == lines{"exited", "timer", "add"});
    stage.stop(app);
}

TEST_CASE("a stop gets through a full mailbox")
{
    stage stage;
    gate opened(stage);
    lines log;
    tree app{stage.loop(), "app"};
    const auto whom = app.add<sleeper>("sleeper", child_options{.capacity = 1}, &opened, &log);
    app.start();
    stage.run_until_idle();
    REQUIRE(whom.try_send(add{1}) == sent::accepted);

    app.stop();
    stage.run_until_idle();
    opened.open();
    const exit_reason end = stage.stop(app);

    REQUIRE(end.kind == exit_kind::stopped);
    REQUIRE(log == lines{"stopped"});
}

TEST_CASE("a stop does not let senders wait for a sibling that is down")
{
    stage stage;
    journal reports;
    tree app{stage.loop(), "app", patient()};
    app.report_to(reports.writer());
    auto broken = app.add<adder>("broken", child_options{.capacity = 2});
    app.start();
    stage.run_until_idle();
    REQUIRE(broken.try_send(fail{}) == sent::accepted);
    stage.run_until_idle(); // it waits for its restart now
    REQUIRE(broken.try_send(add{1}) == sent::accepted);
    REQUIRE(broken.try_send(add{2}) == sent::accepted);
    sent answer = sent::full;
    scope senders(stage.loop().executor());
    senders.spawn(send_and_tell(broken, answer));
    stage.run_until_idle();
    REQUIRE(senders.alive() == 1);

    app.stop();
    stage.run_until_idle();

    REQUIRE(answer == sent::gone);
    REQUIRE(app.has_ended());
    REQUIRE_FALSE(reports.has("overdue app/broken"));
}
