#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct parcel
{
    std::unique_ptr<int> content;
};
struct wake
{
    using coalesces = void;
};
struct stranger
{};

// Logs what it gets; a wake that it handles may send another wake.
struct postman
{
    using messages = cuebox::messages<add, parcel, wake>;

    lines* log;
    int wakes_to_send = 0;

    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            if (const auto* number = std::get_if<add>(&*message))
                log->push_back(std::to_string(number->number));
            else if (const auto* each = std::get_if<parcel>(&*message))
                log->push_back("parcel " + std::to_string(*each->content));
            else
                woken(me);
        }
    }

    void woken(self<messages>& me)
    {
        log->push_back("wake");
        if (wakes_to_send-- > 0)
            (void)me.address().try_send(wake{});
    }
};

// Reads nothing until it is asked to stop, and then all there is.
struct drainer
{
    using messages = cuebox::messages<add>;
    gate* until;
    std::vector<int>* drained;
    awaitable<void> run(self<messages>& me)
    {
        co_await until->wait_whatever_happens();
        const auto none = co_await me.receive();
        while (!none) {
            const auto left = me.try_receive();
            if (!left)
                co_return;
            drained->push_back(std::get<add>(*left).number);
        }
    }
};

using postbox = address<postman::messages>;

awaitable<void> send_all(postbox whom, int first, int last, std::vector<int>& accepted)
{
    for (int i = first; i <= last; ++i) {
        add message{i};
        const sent result = co_await whom.send(message);
        if (result == sent::accepted)
            accepted.push_back(i);
    }
}

awaitable<void> send_range(address<adder::messages> whom, int first, int count)
{
    for (int i = 0; i < count; ++i) {
        add message{first + i};
        co_await whom.send(message);
    }
}

static_assert(sendable_to<add, postman::messages>);
static_assert(sendable_to<const add&, postman::messages>);
static_assert(!sendable_to<stranger, postman::messages>);
static_assert(!sendable_to<total, adder::messages>, "a question is asked, not sent");
static_assert(askable_of<total, adder::messages>);
static_assert(!askable_of<add, adder::messages>);

template <class M>
constexpr bool can_send = requires(postbox whom, M message) { whom.try_send(std::move(message)); };
static_assert(can_send<add> && !can_send<stranger> && !can_send<fail>);

}

TEST_CASE("messages arrive in the order in which they were sent")
{
    stage stage;
    tree app{stage.loop(), "app"};
    std::vector<int> seen;
    const auto whom = app.add<adder>("adder", &seen);
    std::vector<int> expected;
    app.start();

    for (int i = 0; i < 1000; ++i) {
        REQUIRE(whom.try_send(add{i}) == sent::accepted);
        expected.push_back(i);
        if (i % 97 == 0)
            stage.run_until_idle();
    }
    stage.run_until_idle();

    REQUIRE(seen == expected);
    stage.stop(app);
}

TEST_CASE("a mailbox takes exactly as many messages as its capacity")
{
    for (const std::size_t capacity : {1u, 2u, 3u, 7u, 64u, 128u}) {
        stage stage;
        tree app{stage.loop(), "app"};
        lines log;
        const auto whom = app.add<postman>("postman", child_options{.capacity = capacity}, &log);

        for (std::size_t i = 0; i < capacity; ++i)
            REQUIRE(whom.try_send(add{1}) == sent::accepted);

        REQUIRE(whom.try_send(add{1}) == sent::full);
        app.start();
        stage.run_until_idle();
        for (std::size_t i = 0; i < capacity; ++i)
            REQUIRE(whom.try_send(add{2}) == sent::accepted);
        REQUIRE(whom.try_send(add{2}) == sent::full);
        stage.run_until_idle();
        REQUIRE(log.size() == 2 * capacity);
        stage.stop(app);
    }
}

TEST_CASE("a message that was not accepted is still the sender's")
{
    stage stage;
    tree app{stage.loop(), "app"};
    lines log;
    const auto whom = app.add<postman>("postman", child_options{.capacity = 1}, &log);
    parcel mine{std::make_unique<int>(7)};
    REQUIRE(whom.try_send(add{1}) == sent::accepted);

    const sent when_full = whom.try_send(std::move(mine));
    const bool kept_when_full = mine.content != nullptr;
    app.start();
    stage.stop(app);
    const sent when_gone = whom.try_send(std::move(mine));

    REQUIRE(when_full == sent::full);
    REQUIRE(kept_when_full);
    REQUIRE(when_gone == sent::gone);
    REQUIRE(mine.content);
}

TEST_CASE("a sender waits for room and goes on in order")
{
    stage stage;
    tree app{stage.loop(), "app"};
    lines log;
    const auto whom = app.add<postman>("postman", child_options{.capacity = 2}, &log);
    scope senders{stage.loop().executor()};
    std::vector<int> accepted;

    senders.spawn(send_all(whom, 1, 100, accepted));
    stage.run_until_idle();
    REQUIRE(accepted == std::vector{1, 2});
    app.start();
    stage.run(senders.join());
    stage.run_until_idle();

    lines expected;
    for (int i = 1; i <= 100; ++i)
        expected.push_back(std::to_string(i));
    REQUIRE(log == expected);
    stage.stop(app);
}

TEST_CASE("many senders that wait all get through, each in its own order")
{
    stage stage;
    tree app{stage.loop(), "app"};
    std::vector<int> seen;
    const auto whom = app.add<adder>("adder", child_options{.capacity = 1}, &seen);
    scope senders{stage.loop().executor()};
    app.start();

    for (int sender = 0; sender < 10; ++sender)
        senders.spawn(send_range(whom, sender * 1000, 300));
    stage.run(senders.join());
    stage.run_until_idle();

    REQUIRE(seen.size() == 3000);
    for (int sender = 0; sender < 10; ++sender) {
        std::vector<int> own;
        std::copy_if(seen.begin(), seen.end(), std::back_inserter(own),
                     [sender](int number) { return number / 1000 == sender; });
        REQUIRE(own.size() == 300);
        REQUIRE(std::is_sorted(own.begin(), own.end()));
    }
    stage.stop(app);
}

TEST_CASE("one wake is as good as many, and is accepted when the mailbox is full")
{
    stage stage;
    tree app{stage.loop(), "app"};
    lines log;
    const auto whom = app.add<postman>("postman", child_options{.capacity = 1}, &log);
    REQUIRE(whom.try_send(add{1}) == sent::accepted);

    for (int i = 0; i < 10; ++i)
        REQUIRE(whom.try_send(wake{}) == sent::accepted);
    app.start();
    stage.run_until_idle();

    REQUIRE(log == lines{"1", "wake"});
    stage.stop(app);
    REQUIRE(whom.try_send(wake{}) == sent::gone);
}

TEST_CASE("a wake sent while the first is handled is not lost")
{
    stage stage;
    tree app{stage.loop(), "app"};
    lines log;
    const auto whom = app.add<postman>("postman", &log, 2);
    app.start();

    REQUIRE(whom.try_send(wake{}) == sent::accepted);
    stage.run_until_idle();

    REQUIRE(log == lines{"wake", "wake", "wake"});
    stage.stop(app);
}

TEST_CASE("what is queued at a stop can still be drained")
{
    stage stage;
    gate opened(stage);
    tree app{stage.loop(), "app"};
    std::vector<int> drained;
    const auto whom = app.add<drainer>("drainer", &opened, &drained);
    app.start();
    stage.run_until_idle();
    REQUIRE(whom.try_send(add{1}) == sent::accepted);
    REQUIRE(whom.try_send(add{2}) == sent::accepted);

    app.stop();
    stage.run_until_idle();
    opened.open();
    stage.stop(app);

    REQUIRE(drained == std::vector{1, 2});
}
