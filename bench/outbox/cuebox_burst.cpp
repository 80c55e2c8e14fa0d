#include "backlog.hpp"
#include "dialogue.hpp"
#include "worker.hpp"
#include "workloads.hpp"

#include <cuebox/pg/transaction.hpp>

#include <stdexcept>

namespace bench::outbox {

namespace {

constexpr pg::statement checkpoint{.name = "checkpoint", .sql = "checkpoint"};

pg::awaitable<void> publish(pg::connection& on, std::int64_t generation, numbers which)
{
    pg::transaction work{on};
    co_await add_events(work, generation, which);
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
    const numbers before{.first = 0, .end = wanted.warm};
    producer.run(publish(producer.connection(), generation, before));
    cuebox.wait_until_settled(before.end);

    pg::transaction work{producer.connection()};
    const numbers all{.first = before.end, .end = before.end + wanted.events};
    producer.run(add_events(work, generation, all));
    side.run(flush_to_disk(side.connection()));
    say_ready_and_wait();

    const auto began = steady::now();
    producer.run(work.commit());
    cuebox.wait_until_settled(all.end);
    const double took = seconds_since(began);
    say_done_and_wait({.events = cuebox.handled() - before.end, .seconds = took});
    if (cuebox.has_open(side))
        throw std::runtime_error("rows are left that were counted as settled");
}

}
