#include "two_threads.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct item
{
    int from;
    int number;
};
struct question
{
    using reply = int;
    int number;
};

struct tally
{
    std::atomic<int> items{0};
    std::atomic<int> out_of_order{0};
    std::atomic<int> lives{0};
};

// Checks that each sender's items come in order, and fails at every `fragility`th.
struct sink
{
    using messages = cuebox::messages<item, question>;
    tally* seen;
    std::vector<int>* next;
    int fragility;

    awaitable<void> run(self<messages>& me)
    {
        ++seen->lives;
        while (auto message = co_await me.receive()) {
            if (auto* asked = std::get_if<request<question>>(&*message))
                asked->reply(asked->message.number * 2);
            else
                take(std::get<item>(*message));
        }
    }
    void take(item each)
    {
        int& expected = (*next)[static_cast<std::size_t>(each.from)];
        if (each.number != expected++)
            ++seen->out_of_order;
        const int count = ++seen->items;
        if (fragility > 0 && count % fragility == 0)
            throw std::runtime_error("fragile");
    }
};
using sink_address = address<sink::messages>;

// Sends its items one by one, waiting for room, and ends.
struct source
{
    using messages = cuebox::messages<add>;
    sink_address to;
    int from;
    int count;
    awaitable<void> run(self<messages>&)
    {
        for (int i = 0; i < count; ++i) {
            item next{from, i};
            const sent result = co_await to.send(next);
            if (result == sent::gone)
                co_return;
        }
    }
};

// Asks one question after the other.
struct inquirer
{
    using messages = cuebox::messages<add>;
    sink_address whom;
    int count;
    std::atomic<int>* right;
    std::atomic<int>* refused;
    awaitable<void> run(self<messages>& me)
    {
        for (int i = 0; i < count && !me.stopping(); ++i) {
            question next{i};
            auto asking = me.ask(whom, next, 30s);
            try {
                const int answer = co_await std::move(asking);
                *right += answer == 2 * i;
            }
            catch (const ask_error&) {
                ++*refused;
            }
        }
    }
};

void send_from_thread(sink_address to, int from, int count)
{
    for (int i = 0; i < count;) {
        const sent result = to.try_send(item{from, i});
        if (result == sent::accepted)
            ++i;
        else if (result == sent::gone)
            return;
        else
            std::this_thread::yield();
    }
}

constexpr child_options once{.restart = restart::temporary};

child_options once_on(loop& where)
{
    child_options options = once;
    options.loop = &where;
    return options;
}

}

TEST_CASE("threads and actors on two loops fill an actor that keeps failing", "[threads]")
{
    constexpr int each = 20'000;
    two_threads threads;
    tally seen;
    std::vector<int> next(4, 0);
    tree app{threads.one(), "app", eager()};
    app.report_to(nobody_listens());
    const auto to = app.add<sink>("sink", child_options{.capacity = 64, .loop = &threads.two()},
                                  &seen, &next, 101);
    app.add<source>("near", once_on(threads.two()), to, 0, each);
    app.add<source>("far", once, to, 1, each);
    app.start();

    std::thread first(send_from_thread, to, 2, each);
    std::thread second(send_from_thread, to, 3, each);
    first.join();
    second.join();
    wait_for(seen.items, 4 * each);
    app.stop();
    const exit_reason end = app.wait();
    threads.finish();

    REQUIRE(end.kind == exit_kind::stopped);
    REQUIRE(seen.items == 4 * each);
    REQUIRE(seen.out_of_order == 0);
    REQUIRE(seen.lives >= 4 * each / 101);
}

TEST_CASE("a mailbox of one passes on many messages between threads", "[threads]")
{
    constexpr int each = 10'000;
    two_threads threads;
    tally seen;
    std::vector<int> next(3, 0);
    tree app{threads.one(), "app", eager()};
    app.report_to(nobody_listens());
    const auto to = app.add<sink>("sink", child_options{.capacity = 1}, &seen, &next, 0);
    app.add<source>("a", once_on(threads.two()), to, 0, each);
    app.add<source>("b", once_on(threads.two()), to, 1, each);
    app.add<source>("c", once, to, 2, each);
    app.start();

    wait_for(seen.items, 3 * each);
    app.stop();
    app.wait();
    threads.finish();

    REQUIRE(seen.items == 3 * each);
    REQUIRE(seen.out_of_order == 0);
}

TEST_CASE("questions across threads are answered or refused, never forgotten", "[threads]")
{
    constexpr int questions = 5'000;
    two_threads threads;
    tally seen;
    std::vector<int> next(1, 0);
    std::atomic<int> right{0}, refused{0};
    tree app{threads.one(), "app", eager()};
    app.report_to(nobody_listens());
    const auto whom = app.add<sink>("sink", &seen, &next, 50);
    app.add<inquirer>("far", once_on(threads.two()), whom, questions, &right, &refused);
    app.add<inquirer>("near", once, whom, questions, &right, &refused);
    app.start();

    std::thread trouble(send_from_thread, whom, 0, 5'000);
    trouble.join();
    while (right + refused < 2 * questions)
        std::this_thread::yield();
    app.stop();
    app.wait();
    threads.finish();

    REQUIRE(right + refused == 2 * questions);
    REQUIRE(right > 0);
}

TEST_CASE("a stop in the midst of sending ends everyone, and the senders learn of it", "[threads]")
{
    for (int round = 0; round < 20; ++round) {
        two_threads threads;
        tally seen;
        std::vector<int> next(4, 0);
        std::atomic<int> right{0}, refused{0}, overdue{0};
        tree app{threads.one(), "app", eager()};
        app.report_to(
            [&overdue](const report& each) { overdue += each.what == report::kind::overdue; });
        const auto to = app.add<sink>("sink", child_options{.capacity = 8, .loop = &threads.two()},
                                      &seen, &next, 1'000);
        app.add<inquirer>("inquirer", to, 1'000'000, &right, &refused);
        app.start();
        std::thread first(send_from_thread, to, 0, 1'000'000'000);
        std::thread second(send_from_thread, to, 1, 1'000'000'000);
        wait_for(seen.items, 2'500);

        app.stop();
        const exit_reason end = app.wait();
        first.join();
        second.join();
        threads.finish();

        REQUIRE(end.kind == exit_kind::stopped);
        REQUIRE(overdue == 0);
        REQUIRE(seen.out_of_order == 0);
        REQUIRE(to.try_send(item{0, 0}) == sent::gone);
    }
}
