#include "cases.hpp"
#include "workloads.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

// CAF 0.17 at its best on our machine, chosen by trying the alternatives for each workload:
// event-based actors with one static behaviour, a plain integer as the message (stored inside its
// mailbox element, so one allocation less than a message object), the anonymous send (no reference
// count on the sender), and the work-stealing scheduler. Typed actors measured the same.
namespace bench::mailbox {
namespace {

using namespace std::chrono_literals;
using caf::actor;
using caf::behavior;
using caf::event_based_actor;

using go = caf::atom_constant<caf::atom("go")>;

struct config : caf::actor_system_config
{
    explicit config(std::size_t threads) { set("scheduler.max-threads", threads); }
};

// Shared by the actors of a run; only the one that receives touches it while the run lasts.
struct run_state
{
    stopwatch watch;
    std::uint64_t expected = 0;
    std::uint64_t received = 0;

    // True when this was the last message of the run.
    bool count()
    {
        if (++received != expected)
            return false;
        watch.stop();
        return true;
    }
};

struct player_state
{
    actor other;
};

behavior player(caf::stateful_actor<player_state>* self, run_state* run)
{
    return {[=](const actor& other) { self->state.other = other; },
            [=](std::uint64_t hop) {
                if (!run->count())
                    return caf::anon_send(self->state.other, hop + 1);
                caf::anon_send_exit(self->state.other, caf::exit_reason::user_shutdown);
                self->state.other = nullptr; // the two refer to each other
                self->quit();
            }};
}

sample ping_pong(std::uint64_t messages)
{
    config config{1};
    run_state run{.watch = {}, .expected = messages};
    caf::actor_system system{config};
    {
        const auto ping = system.spawn(player, &run);
        const auto pong = system.spawn(player, &run);
        caf::anon_send(ping, pong);
        caf::anon_send(pong, ping);
        run.watch.start();
        caf::anon_send(ping, std::uint64_t{0});
    }
    system.await_all_actors_done();
    return run.watch.take(messages, run.received);
}

behavior consumer(event_based_actor* self, run_state* run)
{
    return {[=](std::uint64_t) {
                if (run->count())
                    self->quit();
            },
            [](go, const actor& producer) { caf::anon_send(producer, go::value); }};
}

// CAF's mailboxes have no limit, and a producer that just sends fills memory, which costs it a
// third of its rate in cache misses. Asking the consumer for leave after every batch is faster.
behavior producer(event_based_actor* self, actor consumer, std::uint64_t share, std::uint64_t batch)
{
    return {[=, left = share](go) mutable {
        const auto now = std::min(batch, left);
        for (std::uint64_t i = 0; i < now; ++i)
            caf::anon_send(consumer, i);
        left -= now;
        if (left > 0)
            caf::anon_send(consumer, go::value, actor{self});
        else
            self->quit();
    }};
}

sample produce(config& config, std::uint64_t messages, std::uint64_t batch)
{
    const auto share = messages / producers;
    run_state run{.watch = {}, .expected = share * producers};
    caf::actor_system system{config};
    {
        const auto sink = system.spawn(consumer, &run);
        std::vector<actor> sources;
        for (std::uint64_t i = 0; i < producers; ++i)
            sources.push_back(system.spawn(producer, sink, share, batch));
        run.watch.start();
        for (const auto& source : sources)
            caf::anon_send(source, go::value);
    }
    system.await_all_actors_done();
    return run.watch.take(share * producers, run.received);
}

sample one_thread(std::uint64_t messages)
{
    config config{1};
    return produce(config, messages, 256);
}

// The scheduler's two workers take whichever actor is ready; a limit on the messages an actor may
// handle in a row keeps the consumer from moving between them needlessly.
sample two_threads(std::uint64_t messages)
{
    config config{2};
    config.set("scheduler.max-throughput", std::size_t{300});
    return produce(config, messages, 1000);
}

// Spawning every actor before the first one runs would keep them all in memory, which is slower.
constexpr std::uint64_t spawn_batch = 1000;

behavior short_lived(event_based_actor* self, run_state* run, actor spawner)
{
    return {[=](std::uint64_t) {
        ++run->received;
        if (run->received % spawn_batch == 0 && run->received < run->expected)
            caf::anon_send(spawner, go::value);
        self->quit();
    }};
}

behavior spawner(event_based_actor* self, run_state* run)
{
    return {[=, left = run->expected](go) mutable {
        const auto now = std::min(spawn_batch, left);
        for (std::uint64_t i = 0; i < now; ++i) {
            const auto child = self->spawn(short_lived, run, actor{self});
            caf::anon_send(child, i);
        }
        left -= now;
        if (left == 0)
            self->quit();
    }};
}

sample spawn_stop(std::uint64_t messages)
{
    config config{1};
    run_state run{.watch = {}, .expected = messages};
    caf::actor_system system{config};
    {
        const auto first = system.spawn(spawner, &run);
        run.watch.start();
        caf::anon_send(first, go::value);
    }
    system.await_all_actors_done();
    run.watch.stop();
    return run.watch.take(messages, run.received);
}

behavior answerer(event_based_actor*)
{
    return {[](std::uint64_t question) { return question + 1; }};
}

// await() rather than then(): the actor has nothing else to do, and it is faster.
void ask_again(event_based_actor* self, const actor& answerer, run_state* run)
{
    self->request(answerer, 5s, run->received).await([=](std::uint64_t) {
        if (!run->count())
            return ask_again(self, answerer, run);
        self->send_exit(answerer, caf::exit_reason::user_shutdown);
        self->quit();
    });
}

behavior asker(event_based_actor* self, actor answerer, run_state* run)
{
    return {[=](go) { ask_again(self, answerer, run); }};
}

sample ask(std::uint64_t messages)
{
    config config{1};
    run_state run{.watch = {}, .expected = messages};
    caf::actor_system system{config};
    {
        const auto curious = system.spawn(asker, system.spawn(answerer), &run);
        run.watch.start();
        caf::anon_send(curious, go::value);
    }
    system.await_all_actors_done();
    return run.watch.take(messages, run.received);
}

}

void add_caf_cases(suite& suite)
{
    suite.add({workloads::ping_pong, systems::caf, 1'000'000, ping_pong, ""});
    suite.add(
        {workloads::one_thread, systems::caf, 4'000'000, one_thread,
         "unbounded mailbox; producers ask the consumer for leave every 256 messages, which is "
         "faster for CAF than flooding it"});
    suite.add({workloads::two_threads, systems::caf, 4'000'000, two_threads,
               "two scheduler workers share all five actors; max-throughput 300, batches of 1000"});
    suite.add(
        {workloads::spawn_stop, systems::caf, spawned, spawn_stop, "spawned in batches of 1000"});
    suite.add(
        {workloads::ask, systems::caf, 300'000, ask, "deadline of 5 s on CAF's clock thread"});
}

}
