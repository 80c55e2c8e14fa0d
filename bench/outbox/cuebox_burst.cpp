#include "backlog.hpp"
#include "dialogue.hpp"
#include "worker.hpp"
#include "workloads.hpp"

#include <cuebox/pg/transaction.hpp>

namespace bench::outbox {

namespace {

// So many that claims have grown to their full size, and every session has its plans.
constexpr std::int64_t warm_up = 5'000;

constexpr pg::statement checkpoint{.name = "checkpoint", .sql = "checkpoint"};

pg::awaitable<void> publish_warm_up(pg::connection& on, std::int64_t generation)
{
    pg::transaction work{on};
    co_await add_events(work, generation, {.first = 0, .end = warm_up});
    co_await work.commit();
}

pg::awaitable<void> flush_to_disk(pg::connection& on)
{
    co_await on.execute(checkpoint);
}

}

void burst(const task& wanted)
{
    session producer;
    session side;
    const auto generation = the_generation(side);
    worker cuebox(wanted, generation);
    cuebox.start();
    cuebox.wait_until_listening();
    producer.run(publish_warm_up(producer.connection(), generation));
    cuebox.wait_until_settled(warm_up);

    pg::transaction work{producer.connection()};
    const numbers all{.first = warm_up, .end = warm_up + wanted.events};
    producer.run(add_events(work, generation, all));
    side.run(flush_to_disk(side.connection()));
    say_ready_and_wait();

    const auto began = steady::now();
    producer.run(work.commit());
    cuebox.wait_until_settled(all.end);
    say_done_and_wait({.events = cuebox.handled() - warm_up, .seconds = seconds_since(began)});
}

}
