#include "cases.hpp"
#include "workloads.hpp"

#include <cuebox/runtime/tree.hpp>

#include <boost/asio/io_context.hpp>

#include <thread>

// Actors as the documentation shows them, supervised, on loops with the real clock.
namespace bench::mailbox {
namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

using inbox = cuebox::messages<message>;
using outbox = cuebox::address<inbox>;

// The tree ends by itself when all its children have finished.
constexpr cuebox::child_options once{.restart = cuebox::restart::temporary,
                                     .capacity = mailbox_capacity};

struct tally
{
    stopwatch watch;
    std::uint64_t received = 0;
};

struct ponger
{
    using messages = inbox;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        while (auto ball = co_await me.receive()) {
            const message& hit = std::get<message>(*ball);
            ++score->received;
            if (hit.value == last)
                score->watch.stop();
            const message back{hit.value + 1};
            if (hit.value >= last || (*other).try_send(back) != cuebox::sent::accepted)
                break;
        }
    }

    tally* score;
    outbox* other;
    std::uint64_t last;
};

sample ping_pong(std::uint64_t messages)
{
    asio::io_context context{1};
    cuebox::loop loop{context.get_executor()};
    cuebox::tree tree{loop, "ping_pong"};
    tally score;
    outbox left;
    outbox right;
    left = tree.add<ponger>("left", once, &score, &right, messages - 1);
    right = tree.add<ponger>("right", once, &score, &left, messages - 1);
    tree.start();
    context.poll(); // both wait now
    score.watch.start();
    (void)left.try_send(message{0});
    while (score.received < messages)
        context.run_one();
    tree.stop();
    context.run();
    return score.watch.take(messages, score.received);
}

struct producer
{
    using messages = inbox;

    cuebox::awaitable<void> run(cuebox::self<messages>&)
    {
        for (std::uint64_t i = 0; i < count; ++i) {
            const message next{i};
            co_await out->send(next);
        }
    }

    outbox* out;
    std::uint64_t count;
};

struct consumer
{
    using messages = inbox;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        while (auto next = co_await me.receive())
            if (++score->received == count)
                break;
        score->watch.stop();
    }

    tally* score;
    std::uint64_t count;
};

void add_producers(cuebox::tree& tree, outbox& out, std::uint64_t share)
{
    for (std::uint64_t i = 0; i < producers; ++i)
        tree.add<producer>("producer-" + std::to_string(i), once, &out, share);
}

sample one_thread(std::uint64_t messages)
{
    const auto share = messages / producers;
    asio::io_context context{1};
    cuebox::loop loop{context.get_executor()};
    cuebox::tree receiving{loop, "receiving"};
    cuebox::tree sending{loop, "sending"};
    tally score;
    outbox out = receiving.add<consumer>("consumer", once, &score, share * producers);
    add_producers(sending, out, share);
    receiving.start();
    context.poll(); // the consumer waits now
    score.watch.start();
    sending.start();
    context.run();
    return score.watch.take(share * producers, score.received);
}

sample two_threads(std::uint64_t messages)
{
    const auto share = messages / producers;
    asio::io_context here{1};
    asio::io_context there{1};
    cuebox::loop sending_loop{here.get_executor()};
    cuebox::loop receiving_loop{there.get_executor()};
    cuebox::tree receiving{receiving_loop, "receiving"};
    cuebox::tree sending{sending_loop, "sending"};
    tally score;
    outbox out = receiving.add<consumer>("consumer", once, &score, share * producers);
    add_producers(sending, out, share);
    receiving.start();
    there.poll(); // the consumer waits now
    std::thread thread{[&] { there.run(); }};
    score.watch.start();
    sending.start();
    here.run();
    thread.join();
    return score.watch.take(share * producers, score.received);
}

struct mayfly
{
    using messages = inbox;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        auto only = co_await me.receive();
        if (only)
            ++score->received;
    }

    tally* score;
};

// Spawns in batches, like the peers, and goes on when a batch has gone.
struct nest
{
    using messages = cuebox::messages<cuebox::exited>;
    static constexpr std::uint64_t batch = 1000;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        for (std::uint64_t spawned_so_far = 0; spawned_so_far < count;) {
            std::uint64_t alive = 0;
            for (; alive < batch && spawned_so_far < count; ++alive, ++spawned_so_far) {
                outbox child = me.spawn<mayfly>("mayfly", once, score);
                (void)child.try_send(message{spawned_so_far});
            }
            for (; alive > 0; --alive)
                (void)co_await me.receive();
        }
        score->watch.stop();
    }

    tally* score;
    std::uint64_t count;
};

sample spawn_stop(std::uint64_t messages)
{
    asio::io_context context{1};
    cuebox::loop loop{context.get_executor()};
    cuebox::tree tree{loop, "spawn_stop"};
    tally score;
    tree.add<nest>("nest", once, &score, messages);
    score.watch.start();
    tree.start();
    context.run();
    return score.watch.take(messages, score.received);
}

struct question
{
    using reply = std::uint64_t;
    std::uint64_t value;
};
using oracle_inbox = cuebox::messages<question>;

struct oracle
{
    using messages = oracle_inbox;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        while (auto next = co_await me.receive()) {
            auto& asked = std::get<cuebox::request<question>>(*next);
            asked.reply(asked->value + 1);
        }
    }
};

struct seeker
{
    using messages = inbox;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        score->watch.start();
        for (; score->received < count; ++score->received) {
            const question next{score->received};
            co_await me.ask(whom, next, 5s);
        }
        score->watch.stop();
    }

    tally* score;
    cuebox::address<oracle_inbox> whom;
    std::uint64_t count;
};

sample ask(std::uint64_t messages)
{
    asio::io_context context{1};
    cuebox::loop loop{context.get_executor()};
    cuebox::tree tree{loop, "ask"};
    tally score;
    auto whom = tree.add<oracle>("oracle", once);
    tree.add<seeker>("seeker", once, &score, whom, messages);
    tree.start();
    while (score.received < messages)
        context.run_one();
    tree.stop();
    context.run();
    return score.watch.take(messages, score.received);
}

}

void add_cuebox_cases(suite& suite)
{
    const auto add = [&](const char* workload, std::uint64_t messages, case_function run,
                         const char* note) {
        suite.add({workload, systems::cuebox, messages, run, note});
    };
    add(workloads::ping_pong, 10'000'000, ping_pong, "supervised actors, bounded mailboxes");
    add(workloads::one_thread, 20'000'000, one_thread,
        "co_await send and co_await receive for every message; capacity 1024");
    add(workloads::two_threads, 10'000'000, two_threads, "an io_context per thread; as above");
    add(workloads::spawn_stop, spawned, spawn_stop, "children of one actor; batches of 1000");
    add(workloads::ask, 4'000'000, ask, "with a deadline of 5 s");
}

}
