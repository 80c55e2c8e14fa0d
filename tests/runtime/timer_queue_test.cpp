#include <cuebox/runtime/timer_queue.hpp>

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <deque>
#include <random>

using namespace cuebox;
using namespace std::chrono_literals;

namespace {

constexpr time_point at(int seconds)
{
    return time_point(std::chrono::seconds(seconds));
}

struct numbered : timer_node
{
    explicit numbered(int number_) : timer_node([](timer_node&) {}), number(number_) {}
    int number;
};

std::vector<int> pop_all(timer_queue& queue, time_point now)
{
    std::vector<int> popped;
    while (timer_node* node = queue.pop_due(now))
        popped.push_back(static_cast<numbered*>(node)->number);
    return popped;
}

}

TEST_CASE("timers come out in the order in which they are due")
{
    timer_queue queue;
    numbered late(3), early(1), middle(2);
    queue.arm(late, at(30));
    queue.arm(early, at(10));
    queue.arm(middle, at(20));

    const auto popped = pop_all(queue, at(60));

    REQUIRE(popped == std::vector{1, 2, 3});
    REQUIRE(queue.empty());
}

TEST_CASE("timers due at the same time come out in the order in which they were armed")
{
    timer_queue queue;
    std::deque<numbered> nodes;
    for (int i = 0; i < 20; ++i)
        queue.arm(nodes.emplace_back(i), at(5));

    const auto popped = pop_all(queue, at(5));

    REQUIRE(popped.size() == 20);
    REQUIRE(std::is_sorted(popped.begin(), popped.end()));
}

TEST_CASE("a timer that is not due stays and is the next")
{
    timer_queue queue;
    numbered soon(1), later(2);
    queue.arm(soon, at(1));
    queue.arm(later, at(9));

    const auto popped = pop_all(queue, at(8));

    REQUIRE(popped == std::vector{1});
    REQUIRE(queue.size() == 1);
    REQUIRE(queue.next() == at(9));
    REQUIRE(later.armed());
    REQUIRE_FALSE(soon.armed());
}

TEST_CASE("an empty queue has no next timer and gives none")
{
    timer_queue queue;

    REQUIRE(queue.next() == std::nullopt);
    REQUIRE(queue.pop_due(time_point::max()) == nullptr);
}

TEST_CASE("a disarmed timer does not come out, and disarming twice is fine")
{
    timer_queue queue;
    numbered kept(1), dropped(2);
    queue.arm(kept, at(2));
    queue.arm(dropped, at(1));

    queue.disarm(dropped);
    queue.disarm(dropped);

    REQUIRE_FALSE(dropped.armed());
    REQUIRE(pop_all(queue, at(5)) == std::vector{1});
}

TEST_CASE("a timer can be armed again once it is out")
{
    timer_queue queue;
    numbered node(1);
    queue.arm(node, at(1));
    (void)pop_all(queue, at(1));

    queue.arm(node, at(2));

    REQUIRE(pop_all(queue, at(1)).empty());
    REQUIRE(pop_all(queue, at(2)) == std::vector{1});
}

TEST_CASE("any mix of arming and disarming leaves the rest in order")
{
    std::mt19937 random(7);
    timer_queue queue;
    std::deque<numbered> nodes;
    for (int i = 0; i < 500; ++i)
        nodes.emplace_back(i);

    for (int round = 0; round < 5000; ++round) {
        numbered& node = nodes[random() % nodes.size()];
        if (node.armed())
            queue.disarm(node);
        else
            queue.arm(node, at(static_cast<int>(random() % 100)));
    }

    const auto armed = std::count_if(nodes.begin(), nodes.end(),
                                     [](const numbered& each) { return each.armed(); });
    time_point last{};
    std::uint64_t last_order = 0;
    std::ptrdiff_t out = 0;
    while (timer_node* node = queue.pop_due(at(100))) {
        const bool in_order = node->due > last || (node->due == last && node->order >= last_order);
        REQUIRE(in_order);
        last = node->due;
        last_order = node->order;
        ++out;
    }
    REQUIRE(out == armed);
}
