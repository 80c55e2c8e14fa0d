#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

// A pool that tolerates one restart, under a root that tolerates as many as told.
struct fixture
{
    explicit fixture(std::size_t root_restarts)
        : app(stage.loop(), "app",
              {.intensity = {.restarts = root_restarts},
               .backoff = {.base = 1s, .multiplier = 1, .cap = 1s}}),
          pool(app.add_supervisor("pool", {.intensity = {.restarts = 1},
                                           .backoff = {.base = 1s, .multiplier = 1, .cap = 1s}}))
    {
        app.report_to(reports.writer());
        a = pool.add<adder>("a");
        b = pool.add<adder>("b");
        after = app.add<adder>("after");
        app.start();
        stage.run_until_idle();
        started = reports.take();
    }
    ~fixture()
    {
        if (!app.has_ended())
            stage.stop(app);
    }

    void fail_once()
    {
        REQUIRE(a.try_send(fail{"no luck"}) == sent::accepted);
        stage.advance(1s);
    }

    cuebox::stage stage;
    journal reports;
    tree app;
    supervisor pool;
    address<adder::messages> a, b, after;
    lines started;
};

// Fails when it is asked to stop.
struct sore_loser
{
    using messages = cuebox::messages<add>;
    awaitable<void> run(self<messages>& me)
    {
        const auto message = co_await me.receive();
        if (!message)
            throw std::runtime_error("did not want to stop");
    }
};

}

TEST_CASE("a supervisor is started once all of its children are, and then its next sibling")
{
    fixture it(5);

    REQUIRE(it.started == lines{"started app/pool/a", "started app/pool/b", "started app/pool",
                                "started app/after"});
}

TEST_CASE("a supervisor that restarts too often escalates, and its parent restarts the subtree")
{
    fixture it(5);
    it.fail_once();
    (void)it.reports.take();

    REQUIRE(it.b.try_send(add{7}) == sent::accepted);
    it.fail_once();
    it.stage.advance(1s);

    REQUIRE(it.reports.take() == lines{"failed app/pool/a", "ended app/pool/b",
                                       "escalated app/pool", "failed app/pool",
                                       "restarting app/pool", "started app/pool/a",
                                       "started app/pool/b", "started app/pool"});
    REQUIRE(it.a.try_send(add{3}) == sent::accepted);
    REQUIRE(it.stage.ask(it.a, total{}) == 3);
}

TEST_CASE("what is queued in a subtree survives its restart, and asks meanwhile fail at once")
{
    fixture it(5);
    it.fail_once();
    REQUIRE(it.a.try_send(fail{}) == sent::accepted);
    REQUIRE(it.a.try_send(add{5}) == sent::accepted);
    it.stage.run_until_idle();

    REQUIRE(it.b.try_send(add{6}) == sent::accepted);
    REQUIRE_THROWS_AS(it.stage.ask(it.b, total{}), ask_error);
    it.stage.advance(1s);

    REQUIRE(it.stage.ask(it.a, total{}) == 5);
    REQUIRE(it.stage.ask(it.b, total{}) == 6);
}

TEST_CASE("a root that restarts too often ends the tree as failed and names the cause")
{
    fixture it(0);
    it.fail_once();

    it.fail_once();

    REQUIRE(it.app.has_ended());
    const exit_reason end = it.stage.run(it.app.ended());
    REQUIRE(end.kind == exit_kind::failed);
    REQUIRE(end.what().find("app/pool/a: no luck") != std::string::npos);
    REQUIRE_THROWS_AS(std::rethrow_exception(end.error), restarts_exhausted);
    REQUIRE(it.reports.has("escalated app"));
    REQUIRE(it.a.try_send(add{1}) == sent::gone);
}

TEST_CASE("after a subtree's restart its failures are counted anew")
{
    fixture it(5);
    it.fail_once();
    it.fail_once();
    it.stage.advance(1s);
    (void)it.reports.take();

    it.fail_once();

    REQUIRE(it.reports.take() ==
            lines{"failed app/pool/a", "restarting app/pool/a", "started app/pool/a"});
}

TEST_CASE("a child that fails while its supervisor escalates changes nothing")
{
    stage stage;
    journal reports;
    tree app{stage.loop(), "app", {.intensity = {.restarts = 0}}};
    app.report_to(reports.writer());
    const auto a = app.add<adder>("a");
    app.add<sore_loser>("b");
    app.start();

    REQUIRE(a.try_send(fail{}) == sent::accepted);
    stage.run_until_idle();

    REQUIRE(app.has_ended());
    REQUIRE(reports.all == lines{"started app/a", "started app/b", "failed app/a", "failed app/b",
                                 "escalated app"});
}

TEST_CASE("a stop while a subtree waits for its restart ends the tree as stopped")
{
    fixture it(5);
    it.fail_once();
    REQUIRE(it.a.try_send(fail{}) == sent::accepted);
    it.stage.run_until_idle();

    const exit_reason end = it.stage.stop(it.app);

    REQUIRE(end.kind == exit_kind::stopped);
    REQUIRE_FALSE(it.a);
    REQUIRE_FALSE(it.b);
}
