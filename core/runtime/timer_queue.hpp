#pragma once

#include <cuebox/runtime/clock.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace cuebox {

// One thing to do at a time, embedded in whatever waits for it.
struct timer_node
{
    static constexpr std::size_t unarmed = static_cast<std::size_t>(-1);

    explicit timer_node(void (*fire_)(timer_node&)) noexcept : fire(fire_) {}
    timer_node(const timer_node&) = delete;
    timer_node& operator=(const timer_node&) = delete;

    bool armed() const noexcept { return position != unarmed; }

    void (*fire)(timer_node&);
    time_point due{};
    std::uint64_t order = 0;
    std::size_t position = unarmed;
};

// A heap of timers that never allocates once it has grown to its peak. Timers due at the same time
// fire in the order in which they were armed. Pure: it knows no clock and calls nothing.
class timer_queue
{
public:
    bool empty() const noexcept { return heap_.empty(); }
    std::size_t size() const noexcept { return heap_.size(); }
    std::optional<time_point> next() const noexcept;

    void arm(timer_node& node, time_point due);
    void disarm(timer_node& node) noexcept;

    // Takes the earliest timer out if it is due.
    timer_node* pop_due(time_point now) noexcept;

private:
    static bool earlier(const timer_node& a, const timer_node& b) noexcept;
    void place(timer_node& node, std::size_t position) noexcept;
    void sift_up(std::size_t position) noexcept;
    void sift_down(std::size_t position) noexcept;

    std::vector<timer_node*> heap_;
    std::uint64_t armed_ = 0;
};

}
