#include "waiting.hpp"

#include <cuebox/pg/cancel_point.hpp>

#include <catch2/catch_test_macros.hpp>

#include <thread>

using namespace cuebox::pg;
using namespace cuebox::pg::detail;
using namespace cuebox::pg::test;

namespace {

// A session's cancel point, with a server that takes requests as the test pleases.
struct fixture
{
    explicit fixture(bool server_answers = true)
        : point(std::make_shared<cancel_point>(
              [sent = sent, server_answers]() mutable {
                  sent.add();
                  return server_answers;
              },
              threads))
    {}

    // What is asked for from now on waits until the gate is open.
    void shut()
    {
        tally started;
        threads.run([started, wait = gate.pass()]() mutable {
            started.add();
            wait();
        });
        started.wait_for(1);
    }
    // All that was asked for has been done.
    void settle() const
    {
        while (threads.threads() > 0)
            std::this_thread::yield();
    }

    blocking_threads threads{{.threads = 1, .waiting = 10}};
    tally sent;
    std::shared_ptr<cancel_point> point;
    door gate;
};

}

TEST_CASE("what runs is cancelled", "[pg]")
{
    fixture fixture;
    fixture.point->begin();

    fixture.point->request(fixture.point->lease());

    fixture.settle();
    CHECK(fixture.sent.count() == 1);
    CHECK(fixture.point->retire());
}

TEST_CASE("where nothing runs nothing is cancelled", "[pg]")
{
    fixture fixture;

    fixture.point->request(fixture.point->lease());
    fixture.point->begin();
    fixture.point->end();
    fixture.point->request(fixture.point->lease());

    fixture.settle();
    CHECK(fixture.sent.count() == 0);
    CHECK(fixture.point->retire());
}

TEST_CASE("a request that waited until its operation was over does not hit the next one", "[pg]")
{
    fixture fixture;
    fixture.shut();
    fixture.point->begin();
    fixture.point->request(fixture.point->lease());
    fixture.point->end();
    fixture.point->begin();

    fixture.gate.open();

    fixture.settle();
    CHECK(fixture.sent.count() == 0);
}

TEST_CASE("who gives the connection back is told of a request under way", "[pg]")
{
    fixture fixture;
    fixture.shut();
    fixture.point->begin();
    fixture.point->request(fixture.point->lease());
    fixture.point->end();

    CHECK_FALSE(fixture.point->retire());
    fixture.gate.open();
    fixture.settle();
    CHECK(fixture.point->retire());
}

TEST_CASE("a canceller kept from before does not hit the next borrower", "[pg]")
{
    fixture fixture;
    const auto kept = fixture.point->lease();
    REQUIRE(fixture.point->retire());
    fixture.point->begin();

    fixture.point->request(kept);

    fixture.settle();
    CHECK(fixture.sent.count() == 0);
    CHECK(fixture.point->retire());
}

TEST_CASE("a request that finds no place is given up without harm", "[pg]")
{
    fixture fixture;
    fixture.shut();
    while (fixture.threads.run([] {})) {
    }
    fixture.point->begin();

    fixture.point->request(fixture.point->lease());
    fixture.point->insist();

    CHECK(fixture.point->retire());
    CHECK(fixture.threads.dropped() == 3);
}

TEST_CASE("a server that answers is asked twice by a session that closes", "[pg]")
{
    fixture fixture;

    fixture.point->insist();

    fixture.settle();
    CHECK(fixture.sent.count() == 2);
}

TEST_CASE("a server that does not answer is not asked again", "[pg]")
{
    fixture fixture{false};

    fixture.point->insist();

    fixture.settle();
    CHECK(fixture.sent.count() == 1);
}
