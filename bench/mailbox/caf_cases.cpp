#include "cases.hpp"
#include "workloads.hpp"

#include <caf/all.hpp>

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

// CAF 0.17 at its best on our machine, by the medians of interleaved trials: event-based actors
// with one behaviour, a plain integer as the message, anonymous sends, and the default
// work-stealing scheduler. Typed actors made no difference beyond the noise; the work-sharing
// scheduler was slower across threads.
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

    // How many messages an actor may handle before another gets its turn; no limit by default.
    void max_throughput(std::size_t messages) { set("scheduler.max-throughput", messages); }
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
    // An actor never has a second message waiting here; this measured up to a fifth faster.
    config.max_throughput(1);
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

// CAF's mailboxes have no limit, and producers that just send fill memory first: in our trials they
// reached two thirds of the rate of producers that ask the consumer for leave after every batch.
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
    return produce(config, messages, 1000);
}

// The scheduler's two workers take whichever of the five actors is ready. These limits had the best
// median of batches of 256 and 1000 with a max-throughput of 100, 300, 1000 and none.
sample two_threads(std::uint64_t messages)
{
    config config{2};
    config.max_throughput(1000);
    return produce(config, messages, 256);
}

// Spawning all of them before the first one runs, or from the main thread, measured slower.
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

// await() rather than then(): the actor has nothing else to do, and it measured a tenth faster.
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
    const auto add = [&](const char* workload, std::uint64_t messages, case_function run,
                         const char* note) {
        suite.add({workload, systems::caf, messages, run, note});
    };
    add(workloads::ping_pong, 1'000'000, ping_pong, "");
    add(workloads::one_thread, 4'000'000, one_thread,
        "unbounded mailbox; producers ask the consumer for leave every 1000 messages, which is "
        "faster "
        "for CAF than flooding it");
    add(workloads::two_threads, 4'000'000, two_threads,
        "two scheduler workers share all five actors; leave every 256 messages, max-throughput "
        "1000");
    add(workloads::spawn_stop, spawned, spawn_stop, "spawned in batches of 1000");
    add(workloads::ask, 300'000, ask, "deadline of 5 s, kept by CAF's clock thread");
}

}
