#include <cuebox/runtime/stage.hpp>

#include <algorithm>

namespace cuebox {

stage::stage(std::uint64_t seed) : seed_(seed)
{
    add_loop();
}

loop& stage::add_loop()
{
    return loops_.emplace_back(context_.get_executor(), clock_, seed_++);
}

std::size_t stage::run_until_idle()
{
    std::size_t handlers = 0;
    for (;;) {
        if (const auto next = next_timer(); next && *next <= clock_.now())
            request_turns();
        context_.restart();
        const std::size_t run = context_.poll();
        if (run == 0)
            return handlers;
        handlers += run;
    }
}

std::optional<time_point> stage::next_timer() const noexcept
{
    std::optional<time_point> soonest;
    for (const cuebox::loop& each : loops_)
        if (const auto next = each.next_timer())
            soonest = std::min(soonest.value_or(*next), *next);
    return soonest;
}

void stage::request_turns()
{
    for (cuebox::loop& each : loops_)
        each.request_turn();
}

void stage::advance(duration by)
{
    run_until_idle();
    const time_point end = clock_.now() + by;
    for (;;) {
        const auto next = next_timer();
        if (!next || *next > end)
            break;
        clock_.set(std::max(*next, clock_.now()));
        request_turns();
        run_until_idle();
    }
    clock_.set(end);
}

void stage::finish(const std::optional<std::exception_ptr>& outcome)
{
    run_until_idle();
    if (!outcome)
        throw std::logic_error(
            "the coroutine still waits and nothing else can run: advance the clock, "
            "or see what it waits for");
    if (*outcome)
        std::rethrow_exception(*outcome);
}

exit_reason stage::stop(tree& tree)
{
    tree.stop();
    run_until_idle();
    while (!tree.has_ended()) {
        const auto next = next_timer();
        if (!next)
            throw std::logic_error("the tree does not stop and no timer is due: an actor is stuck");
        advance(*next - clock_.now());
    }
    return run(tree.ended());
}

}
