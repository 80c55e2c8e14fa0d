#include "dialogue.hpp"
#include "worker.hpp"
#include "workloads.hpp"

#include <stdexcept>

namespace bench::outbox {

void drain(const task& wanted)
{
    session side;
    worker cuebox(wanted, the_generation(side));
    say_ready_and_wait();
    const auto began = steady::now();
    cuebox.start();
    auto ended = steady::now();
    if (wanted.shared)
        ended = cuebox.wait_until_nothing_is_left(side);
    else {
        cuebox.wait_until_settled(wanted.events);
        ended = steady::now();
    }
    const figures reached{.events = cuebox.handled(),
                          .seconds = std::chrono::duration<double>(ended - began).count()};
    say_done_and_wait(reached);
    // The database is asked once more, when nobody measures: the look passes over all rows.
    if (cuebox.has_open(side))
        throw std::runtime_error("rows are left that were counted as settled");
}

}
