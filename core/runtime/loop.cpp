#include <cuebox/runtime/contract.hpp>
#include <cuebox/runtime/loop.hpp>
#include <cuebox/runtime/short_lock.hpp>
#include <cuebox/runtime/turn_budget.hpp>

#include <boost/asio/bind_allocator.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <new>

namespace cuebox {

namespace {

constinit thread_local loop* current_loop = nullptr;

// A turn ends after so many wake-ups, to let the executor's other work through.
constexpr int wakes_per_turn_max = 128;
// Neighbouring seeds must not give neighbouring jitter, nor may the generator begin at zero.
constexpr std::uint64_t scattered(std::uint64_t seed) noexcept
{
    seed += 0x9e3779b97f4a7c15;
    seed = (seed ^ (seed >> 30)) * 0xbf58476d1ce4e5b9;
    seed = (seed ^ (seed >> 27)) * 0x94d049bb133111eb;
    seed ^= seed >> 31;
    return seed ? seed : 1;
}

constexpr int pauses_per_linger = 24;

}

namespace detail {

void ready_list::push(ready_node& node) noexcept
{
    node.next = nullptr;
    (last_ ? last_->next : first_) = &node;
    last_ = &node;
}

void ready_list::push_reversed(ready_node* stack) noexcept
{
    if (!stack)
        return;
    ready_node* const newest = stack;
    ready_node* oldest = nullptr;
    while (stack) {
        ready_node* next = stack->next;
        stack->next = oldest;
        oldest = stack;
        stack = next;
    }
    (last_ ? last_->next : first_) = oldest;
    last_ = newest;
}

ready_node* ready_list::pop() noexcept
{
    ready_node* node = first_;
    if (node) {
        first_ = node->next;
        if (!first_)
            last_ = nullptr;
    }
    return node;
}

}

namespace {

// Memory for the one request for a turn that a loop has under way, so that waking a loop does not
// allocate, whichever thread does it. Asio frees it before it runs the turn, in which the next
// request may be made.
class turn_memory
{
public:
    void* take(std::size_t size)
    {
        if (size <= sizeof(buffer_) && !taken_.exchange(true, std::memory_order_acquire))
            return buffer_;
        return ::operator new(size);
    }
    void give_back(void* memory) noexcept
    {
        if (memory == buffer_)
            taken_.store(false, std::memory_order_release);
        else
            ::operator delete(memory);
    }

private:
    alignas(std::max_align_t) std::byte buffer_[192];
    std::atomic<bool> taken_{false};
};

template <class T>
struct turn_allocator
{
    using value_type = T;

    explicit turn_allocator(std::shared_ptr<turn_memory> memory_) : memory(std::move(memory_)) {}
    template <class U>
    turn_allocator(const turn_allocator<U>& other) : memory(other.memory)
    {}

    T* allocate(std::size_t n) { return static_cast<T*>(memory->take(n * sizeof(T))); }
    void deallocate(T* at, std::size_t) noexcept { memory->give_back(at); }

    template <class U>
    bool operator==(const turn_allocator<U>& other) const noexcept
    {
        return memory == other.memory;
    }

    std::shared_ptr<turn_memory> memory;
};

}

// Outlives the loop while the executor still holds a request for a turn or a timer of it.
struct loop::state
{
    state(loop& owner_, const asio::any_io_executor& executor) : owner(&owner_), alarm(executor) {}

    loop* owner;
    asio::steady_timer alarm;
    std::optional<time_point> alarm_due;
    std::shared_ptr<turn_memory> memory = std::make_shared<turn_memory>();
};

loop::loop(asio::any_io_executor executor, clock& time, std::uint64_t seed)
    : executor_(std::move(executor)),
      clock_(time),
      random_(scattered(seed)),
      state_(std::make_shared<state>(*this, executor_))
{}

loop::~loop()
{
    CUEBOX_ASSERT(timers_.empty() && ready_.empty() && !remote_.load(),
                  "a loop was destroyed before its actors had ended");
    state_->owner = nullptr;
    state_->alarm.cancel();
}

loop* loop::current() noexcept
{
    return current_loop;
}

void loop::push(detail::ready_node& node)
{
    if (current_loop == this) {
        ready_.push(node);
        return;
    }
    node.next = remote_.load(std::memory_order_relaxed);
    while (!remote_.compare_exchange_weak(node.next, &node, std::memory_order_release,
                                          std::memory_order_relaxed))
    {
    }
    request_turn();
}

void loop::linger(detail::ready_node& node)
{
    CUEBOX_ASSERT(current_loop == this, "linger is for code that runs in a turn");
    lingering_.push(node);
}

void loop::take_turn()
{
    struct turn
    {
        explicit turn(loop& owner) : owner_(owner), outer_(std::exchange(current_loop, &owner)) {}
        ~turn()
        {
            owner_.finish_turn();
            current_loop = outer_;
        }
        loop& owner_;
        loop* outer_;
    } turn{*this};

    if (!timers_.empty())
        fire_due_timers();
    for (int wakes = 0; wakes < wakes_per_turn_max; ++wakes) {
        if (ready_.empty())
            ready_.push_reversed(remote_.exchange(nullptr, std::memory_order_acquire));
        detail::ready_node* node = ready_.pop();
        if (!node) {
            node = lingering_.pop();
            if (!node)
                break;
            for (int pauses = 0; pauses < pauses_per_linger; ++pauses)
                detail::pause_briefly();
        }
        detail::turn_budget::renew();
        node->run(*node);
    }
}

// Either asks for the next turn or leaves the loop in a state in which the next push will.
void loop::finish_turn()
{
    if (ready_.empty() && lingering_.empty()) {
        follow_timers();
        // An exchange, not a store: it reads what the last pusher wrote, and so sees its node.
        turn_requested_.exchange(false, std::memory_order_acq_rel);
        if (!remote_.load(std::memory_order_acquire) ||
            turn_requested_.exchange(true, std::memory_order_acq_rel))
            return;
    }
    post_turn();
}

void loop::arm(timer_node& node, time_point due)
{
    timers_.arm(node, due);
    if (current_loop != this)
        request_turn();
}

void loop::disarm(timer_node& node) noexcept
{
    timers_.disarm(node);
    if (timers_.empty() && state_->alarm_due && current_loop != this)
        request_turn();
}

std::optional<time_point> loop::next_timer() const noexcept
{
    return timers_.next();
}

void loop::request_turn()
{
    if (!turn_requested_.exchange(true, std::memory_order_acq_rel))
        post_turn();
}

void loop::post_turn()
{
    asio::post(executor_,
               asio::bind_allocator(turn_allocator<void>(state_->memory), [keep = state_] {
                   if (keep->owner)
                       keep->owner->take_turn();
               }));
}

void loop::fire_due_timers()
{
    const time_point now = clock_.now();
    while (timer_node* node = timers_.pop_due(now))
        node->fire(*node);
}

// Sets the operating system's timer, once a turn at most and only when it would otherwise ring too
// late: most deadlines are disarmed long before they are due. An empty queue keeps no timer,
// because a timer counts as work and would hold up the executor's end.
void loop::follow_timers()
{
    if (!clock_.moves_by_itself())
        return;
    const auto next = timers_.next();
    if (!next) {
        if (state_->alarm_due) {
            state_->alarm_due.reset();
            state_->alarm.cancel();
        }
        return;
    }
    if (state_->alarm_due && *state_->alarm_due <= *next)
        return;
    state_->alarm_due = *next;
    state_->alarm.expires_at(*next);
    state_->alarm.async_wait([keep = state_](const boost::system::error_code& error) {
        if (error || !keep->owner)
            return;
        keep->alarm_due.reset();
        keep->owner->request_turn();
    });
}

double loop::jitter() noexcept
{
    random_ ^= random_ << 13;
    random_ ^= random_ >> 7;
    random_ ^= random_ << 17;
    return static_cast<double>(random_ >> 11) * 0x1.0p-53;
}

}
