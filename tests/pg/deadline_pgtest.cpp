#include "scene.hpp"

#include <cuebox/pg/transaction.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;

namespace {

constexpr statement one{.name = "one", .sql = "select 1"};
constexpr statement nap{.name = "nap", .sql = "select pg_sleep(600)"};

}

TEST_CASE("a canceller stops the statement, and the connection stays usable", "[pg]")
{
    scene scene;
    connection link = scene.open();
    auto napping = scene.start(link.execute(nap));
    scene.settle();
    REQUIRE(eventually([&scene] { return scene.running("pg_sleep"); }));

    link.canceller().request();

    const auto refused = refusal_of([&] { scene.finish(napping); });
    REQUIRE(refused.code == errc::server);
    REQUIRE(refused.sqlstate == "57014");
    REQUIRE(scene.run(link.query_one<int>(one)) == 1);
}

TEST_CASE("cancelling what is over, or closed, does no harm", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const canceller kept = link.canceller();

    kept.request();
    for (int i = 0; i < 100; ++i) // One of them may be hit.
        refusal_of([&] { scene.run(link.execute(one)); });
    CHECK_FALSE(link.broken());
    link.close();
    kept.request();
    link.canceller().request();

    CHECK(link.backend() == 0);
}

TEST_CASE("past its deadline a statement is stopped, there and here", "[pg]")
{
    scene scene;
    connection link = scene.open();
    link.set_deadline(200ms);

    const auto refused = refusal_of([&] { scene.run(link.execute(nap)); });

    REQUIRE(refused.code == errc::timed_out);
    REQUIRE(refused.what == "nap: no answer within 200 ms: the statement was cancelled and the "
                            "connection closed");
    REQUIRE(link.broken());
    REQUIRE(eventually([&scene] { return scene.backends() == 0; }));
    REQUIRE(refusal_of([&] { scene.run(link.execute(one)); }).code == errc::lost);
}

TEST_CASE("a slow first statement of a transaction is named, not its BEGIN", "[pg]")
{
    scene scene;
    connection link = scene.open();
    link.set_deadline(50ms);
    transaction work{link};

    REQUIRE(refusal_of([&] { scene.run(work.execute(nap)); }).says("nap: no answer within 50 ms"));
}

TEST_CASE("a deadline is for each statement, and may be none at all", "[pg]")
{
    scene scene;
    connection link = scene.open();
    link.set_deadline(std::chrono::nanoseconds::max());
    REQUIRE(scene.run(link.query_one<int>(one)) == 1);

    link.set_deadline(10s);
    REQUIRE(link.deadline() == 10s);
    REQUIRE(scene.run(link.query_one<int>(one)) == 1);
}

TEST_CASE("a script past its deadline is stopped as well", "[pg]")
{
    scene scene;
    connection link = scene.open();
    link.set_deadline(50ms);

    REQUIRE(refusal_of([&] { scene.run(link.run_script(nap)); }).code == errc::timed_out);
    REQUIRE(eventually([&scene] { return scene.backends() == 0; }));
}

TEST_CASE("cancelling the coroutine stops its statement, there and here", "[pg]")
{
    scene scene;
    connection link = scene.open();
    auto napping = scene.start(link.execute(nap));
    scene.settle();
    REQUIRE(eventually([&scene] { return scene.running("pg_sleep"); }));

    napping.cancel();

    REQUIRE(cancelled([&] { scene.finish(napping); }));
    REQUIRE(link.broken());
    REQUIRE(eventually([&scene] { return scene.backends() == 0; }));
    REQUIRE(refusal_of([&] { scene.run(link.execute(one)); }).what ==
            "one: the connection is closed: an operation was abandoned on it");
}

TEST_CASE("a connection does one thing at a time; the first is not disturbed", "[pg]")
{
    scene scene;
    connection link = scene.open();
    auto first = scene.start(link.query_one<int>({.name = "slow",
                                                  .sql = "select 1 + length("
                                                         "pg_sleep(0.05)::text)"}));
    scene.settle();

    REQUIRE(refusal_of([&] { scene.run(link.execute(one)); }).what ==
            "one: the connection is busy: it does one thing at a time");
    REQUIRE(scene.finish(first) == 1);
    REQUIRE_FALSE(link.broken());
}

TEST_CASE("closing the connection under a statement ends it as lost", "[pg]")
{
    scene scene;
    connection link = scene.open();
    auto napping = scene.start(link.execute(nap));
    scene.settle();

    link.close();

    REQUIRE(refusal_of([&] { scene.finish(napping); }).what ==
            "nap: the connection is closed: it was closed");
    REQUIRE(eventually([&scene] { return scene.backends() == 0; }));
}

TEST_CASE("a connection dropped with its statement sent leaves nothing running", "[pg]")
{
    scene scene;
    {
        connection link = scene.open();
        link.set_deadline(1ms);
        refusal_of([&] { scene.run(link.execute(nap)); });
    }

    REQUIRE(eventually([&scene] { return scene.backends() == 0; }));
}
