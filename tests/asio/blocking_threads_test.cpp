#include "pg/waiting.hpp"

#include <cuebox/asio/blocking_threads.hpp>

#include <catch2/catch_test_macros.hpp>

#include <thread>

using namespace cuebox::detail;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;

namespace {

// The last thing a thread does is to count itself out.
void wait_until_ended(const blocking_threads& threads)
{
    while (threads.threads() > 0)
        std::this_thread::yield();
}

}

TEST_CASE("a call that hangs holds up none of the others", "[asio]")
{
    blocking_threads threads({.threads = 4, .waiting = 10});
    door door;
    tally done;
    for (int i = 0; i < 3; ++i)
        REQUIRE(threads.run(door.pass()));

    REQUIRE(threads.run([done]() mutable { done.add(); }));

    done.wait_for(1);
    CHECK(threads.dropped() == 0);
}

TEST_CASE("past the most threads calls wait, past the most that wait they are dropped", "[asio]")
{
    blocking_threads threads({.threads = 2, .waiting = 3});
    door door;
    tally started;
    tally done;
    for (int i = 0; i < 2; ++i)
        threads.run([started, wait = door.pass()]() mutable {
            started.add();
            wait();
        });
    started.wait_for(2);

    const auto count = [done]() mutable { done.add(); };
    for (int i = 0; i < 3; ++i)
        CHECK(threads.run(count));
    CHECK_FALSE(threads.run(count));
    CHECK_FALSE(threads.run(count));

    CHECK(threads.threads() == 2);
    CHECK(threads.dropped() == 2);
    CHECK(done.count() == 0);
    door.open();
    done.wait_for(3);
    wait_until_ended(threads);
    CHECK(done.count() == 3);
}

TEST_CASE("a call waits for its time, and others do not wait with it", "[asio]")
{
    blocking_threads threads({.threads = 1, .waiting = 10});
    tally late;
    tally soon;
    const auto start = std::chrono::steady_clock::now();

    threads.run([late]() mutable { late.add(); }, 200ms);
    threads.run([soon]() mutable { soon.add(); });

    soon.wait_for(1);
    late.wait_for(1);
    CHECK(std::chrono::steady_clock::now() >= start + 200ms);
}

TEST_CASE("threads end when nothing is left to do, and start again when there is", "[asio]")
{
    blocking_threads threads({.threads = 8, .waiting = 10});
    tally done;
    for (int round = 1; round <= 3; ++round) {
        threads.run([done]() mutable { done.add(); });
        done.wait_for(round);
        wait_until_ended(threads);
    }

    CHECK(done.count() == 3);
}

TEST_CASE("who ends can wait until nothing is under way, or for as long as there is time", "[asio]")
{
    blocking_threads threads({.threads = 2, .waiting = 10});
    door door;
    tally later;
    CHECK(threads.wait_until_idle(0ms));

    threads.run(door.pass());
    threads.run([later]() mutable { later.add(); }, 1ms);
    later.wait_for(1);

    CHECK_FALSE(threads.wait_until_idle(1ms));
    door.open();
    CHECK(threads.wait_until_idle(1h));
}

TEST_CASE("without threads to be had a call is dropped, not waited for", "[asio]")
{
    blocking_threads threads({.threads = 0, .waiting = 10});

    CHECK_FALSE(threads.run([] {}));
    CHECK(threads.dropped() == 1);
}
