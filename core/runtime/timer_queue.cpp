#include <cuebox/runtime/contract.hpp>
#include <cuebox/runtime/timer_queue.hpp>

namespace cuebox {

std::optional<time_point> timer_queue::next() const noexcept
{
    if (heap_.empty())
        return std::nullopt;
    return heap_.front()->due;
}

void timer_queue::arm(timer_node& node, time_point due)
{
    CUEBOX_ASSERT(!node.armed(), "a timer was armed twice");
    node.due = due;
    node.order = armed_++;
    heap_.push_back(&node);
    node.position = heap_.size() - 1;
    sift_up(node.position);
}

void timer_queue::disarm(timer_node& node) noexcept
{
    if (!node.armed())
        return;
    const std::size_t hole = node.position;
    node.position = timer_node::unarmed;
    timer_node* last = heap_.back();
    heap_.pop_back();
    if (hole == heap_.size())
        return;
    place(*last, hole);
    sift_up(hole);
    sift_down(last->position);
}

timer_node* timer_queue::pop_due(time_point now) noexcept
{
    if (heap_.empty() || heap_.front()->due > now)
        return nullptr;
    timer_node* node = heap_.front();
    disarm(*node);
    return node;
}

bool timer_queue::earlier(const timer_node& a, const timer_node& b) noexcept
{
    return a.due != b.due ? a.due < b.due : a.order < b.order;
}

void timer_queue::place(timer_node& node, std::size_t position) noexcept
{
    heap_[position] = &node;
    node.position = position;
}

void timer_queue::sift_up(std::size_t position) noexcept
{
    timer_node* node = heap_[position];
    while (position > 0) {
        const std::size_t parent = (position - 1) / 2;
        if (!earlier(*node, *heap_[parent]))
            break;
        place(*heap_[parent], position);
        position = parent;
    }
    place(*node, position);
}

void timer_queue::sift_down(std::size_t position) noexcept
{
    timer_node* node = heap_[position];
    for (;;) {
        std::size_t child = 2 * position + 1;
        if (child >= heap_.size())
            break;
        if (child + 1 < heap_.size() && earlier(*heap_[child + 1], *heap_[child]))
            ++child;
        if (!earlier(*heap_[child], *node))
            break;
        place(*heap_[child], position);
        position = child;
    }
    place(*node, position);
}

}
