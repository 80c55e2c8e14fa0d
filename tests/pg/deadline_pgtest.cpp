#include "scene.hpp"
#include "support/tcp_gate.hpp"

#include <cuebox/pg/copy_in.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;
using cuebox::test::tcp_gate;

namespace {

constexpr statement one{.name = "one", .sql = "select 1"};
constexpr statement nap{.name = "nap", .sql = "select pg_sleep(600)"};
constexpr statement doze{.name = "doze", .sql = "select pg_sleep(0.05)"};
constexpr statement copy{.name = "copy", .sql = "copy t from stdin (format binary)"};

awaitable<void> nap_on_its_own(connect_options options)
{
    connection link = co_await connect(options);
    co_await link.execute(nap);
}

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

TEST_CASE("cancelling what is over does not hit what comes next", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const canceller kept = link.canceller();
    scene.run(link.execute(one));

    for (int i = 0; i < 10; ++i) {
        kept.request();
        REQUIRE_NOTHROW(scene.run(link.execute(doze))); // There all the time it takes to be hit.
    }
}

TEST_CASE("cancelling what is closed does no harm", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const canceller kept = link.canceller();
    link.close();

    kept.request();
    link.canceller().request();

    CHECK(link.backend() == 0);
}

TEST_CASE("a request that hangs on one server does not hold up another's", "[pg]")
{
    scene scene;
    tcp_gate gate;
    connection silent = scene.run(connect(scene.options_by(gate.port())));
    connection link = scene.open();
    auto lost = scene.start(silent.execute(nap));
    auto napping = scene.start(link.execute(nap));
    scene.settle();
    REQUIRE(eventually([&scene] { return scene.napping() == 2; }));
    const auto accepted = gate.accepted();
    gate.half_open();
    silent.canceller().request();
    REQUIRE(gate.wait_until_accepted(accepted + 1, 30s));

    link.canceller().request();

    CHECK(refusal_of([&] { scene.finish(napping); }).sqlstate == "57014");
    scene.see("select pg_terminate_backend(" + std::to_string(silent.backend()) + ")");
    gate.cut();
    CHECK(refusal_of([&] { scene.finish(lost); }).code == errc::lost);
}

TEST_CASE("a COPY can be cancelled between its rows", "[pg]")
{
    scene scene;
    scene.see("create table t(a int)");
    connection link = scene.open();
    transaction work{link};
    copy_in rows = scene.run(copy_in::start(work, copy));
    scene.run(rows.write(1));

    link.canceller().request();

    REQUIRE(eventually([&link] { return link.retire_cancellers(); })); // It has been taken.
    CHECK(refusal_of([&] { scene.run(rows.finish()); }).sqlstate == "57014");
    scene.run(work.rollback());
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
        stage doomed;
        auto napping = doomed.start(nap_on_its_own(scene.options()));
        REQUIRE(eventually([&] {
            doomed.settle();
            return scene.running("pg_sleep");
        }));
    }

    REQUIRE(eventually([&scene] { return scene.backends() == 0; }));
}
