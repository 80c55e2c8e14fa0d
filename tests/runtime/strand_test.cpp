#include "actors.hpp"

#include <boost/asio/strand.hpp>
#include <boost/asio/thread_pool.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct ball
{
    int hits;
};
using court = messages<ball>;

struct player
{
    using messages = court;

    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            const ball caught = std::get<ball>(*message);
            ++*hits;
            if (caught.hits == last)
                break;
            const ball back{caught.hits + 1};
            co_await other->send(back);
            if (caught.hits == last - 1)
                break;
        }
    }

    int* hits; // touched by the players only, who never play at the same time
    const address<court>* other;
    int last;
};

}

TEST_CASE("loops on strands of one thread pool play together", "[threads]")
{
    constexpr int last = 20'000;
    asio::thread_pool pool(2);
    loop left_loop{asio::make_strand(pool)};
    loop right_loop{asio::make_strand(pool)};
    tree match{left_loop, "match"};
    int hits = 0;
    address<court> left;
    address<court> right;
    left = match.add<player>("left", child_options{.restart = restart::temporary}, &hits, &right,
                             last);
    right = match.add<player>("right",
                              child_options{.restart = restart::temporary, .loop = &right_loop},
                              &hits, &left, last);

    match.start();
    REQUIRE(left.try_send(ball{1}) == sent::accepted);
    const exit_reason ended = match.wait();
    pool.join();

    REQUIRE(ended.kind == exit_kind::finished);
    REQUIRE(hits == last);
}
