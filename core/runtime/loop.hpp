#pragma once

#include <cuebox/runtime/awaitable.hpp>
#include <cuebox/runtime/clock.hpp>
#include <cuebox/runtime/timer_queue.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace cuebox {

class activity;

namespace detail {

// Something that wants a turn on a loop, embedded in it. In at most one list at a time.
struct ready_node
{
    explicit ready_node(void (*run_)(ready_node&)) noexcept : run(run_) {}
    ready_node(const ready_node&) = delete;
    ready_node& operator=(const ready_node&) = delete;

    void (*run)(ready_node&);
    ready_node* next = nullptr;
};

class ready_list
{
public:
    bool empty() const noexcept { return first_ == nullptr; }
    void push(ready_node& node) noexcept;
    void push_reversed(ready_node* stack) noexcept;
    ready_node* pop() noexcept;

private:
    ready_node* first_ = nullptr;
    ready_node* last_ = nullptr;
};

}

// One sequential executor's share of the runtime: which actors want a turn, and its timers.
//
// Actors on one loop wake each other by a push on a plain list instead of a trip through the
// executor; the executor is asked for a turn only when the loop has none coming. A turn is short,
// so whatever else lives on the executor keeps moving.
//
// The executor must be sequential: a strand, or an io_context run by a single thread. The loop must
// outlive the actors on it.
class loop
{
public:
    explicit loop(asio::any_io_executor executor, clock& time = system_clock(),
                  std::uint64_t seed = 0x9e3779b97f4a7c15);
    ~loop();

    loop(const loop&) = delete;
    loop& operator=(const loop&) = delete;

    const asio::any_io_executor& executor() const noexcept { return executor_; }
    time_point now() const noexcept { return clock_.now(); }
    // `in` from now; never, when that is further than time goes.
    time_point after(duration in) const noexcept
    {
        const time_point start = now();
        return in < time_point::max() - start ? start + in : time_point::max();
    }

    // The loop whose turn this thread is in, if any.
    static loop* current() noexcept;

    // The activity whose code has the thread right now, none when it is no activity's. Any thread:
    // by then it may be another's turn, and the activity gone; compare it, do not look into it.
    const activity* at_work() const noexcept { return at_work_->load(std::memory_order_relaxed); }

    // False: time moves when a test says so, and a turn that does not come means nothing.
    bool keeps_real_time() const noexcept { return clock_.moves_by_itself(); }

    // Gives the node a turn. Any thread.
    void push(detail::ready_node& node);

    // Asks for a turn, in which due timers fire: for whoever moves a manual clock. Any thread.
    void request_turn();

    // The rest belongs to code that runs on this loop's executor.
    void arm(timer_node& node, time_point due);
    void disarm(timer_node& node) noexcept;
    std::optional<time_point> next_timer() const noexcept;

    // Uniform in [0, 1): for jitter. Seeded, so that a test sees the same run twice.
    double jitter() noexcept;

    // Comes back to `node` once nothing else wants a turn, after a pause of about a microsecond:
    // for a mailbox that another thread is filling, and that would otherwise sleep and be woken per
    // message.
    void linger(detail::ready_node& node);

private:
    friend class activity;
    struct state;

    void post_turn();
    void take_turn();
    void finish_turn();
    void fire_due_timers();
    void follow_timers();

    const asio::any_io_executor executor_;
    clock& clock_;
    std::uint64_t random_;
    timer_queue timers_;
    detail::ready_list ready_;
    detail::ready_list lingering_;
    std::shared_ptr<state> state_;
    std::shared_ptr<std::atomic<const activity*>> at_work_ =
        std::make_shared<std::atomic<const activity*>>(nullptr);

    alignas(64) std::atomic<detail::ready_node*> remote_{nullptr};
    std::atomic<bool> turn_requested_{false};
};

}
