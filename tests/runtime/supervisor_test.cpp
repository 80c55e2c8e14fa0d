#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct three
{
    explicit three(strategy which) : app(stage.loop(), "app", patient(which))
    {
        app.report_to(reports.writer());
        a = app.add<adder>("a");
        b = app.add<adder>("b");
        c = app.add<adder>("c");
        app.start();
        stage.run_until_idle();
        started = reports.take();
    }
    ~three()
    {
        if (!app.has_ended())
            stage.stop(app);
    }

    cuebox::stage stage;
    journal reports;
    tree app;
    address<adder::messages> a, b, c;
    lines started;
};

}

TEST_CASE("a tree starts its children in order and stops them in reverse")
{
    three it(strategy::one_for_one);
    REQUIRE(it.started == lines{"started app/a", "started app/b", "started app/c"});

    const exit_reason end = it.stage.stop(it.app);

    REQUIRE(end.kind == exit_kind::stopped);
    REQUIRE(it.reports.all == lines{"ended app/c", "ended app/b", "ended app/a"});
}

TEST_CASE("under one for one a failed actor restarts alone, after its backoff")
{
    three it(strategy::one_for_one);

    REQUIRE(it.b.try_send(fail{}) == sent::accepted);
    it.stage.run_until_idle();
    REQUIRE(it.reports.take() == lines{"failed app/b", "restarting app/b"});
    it.stage.advance(1s);

    REQUIRE(it.reports.take() == lines{"started app/b"});
}

TEST_CASE("under one for all every actor restarts with the failed one")
{
    three it(strategy::one_for_all);

    REQUIRE(it.b.try_send(fail{}) == sent::accepted);
    it.stage.advance(1s);

    REQUIRE(it.reports.take() == lines{"failed app/b", "restarting app/b", "ended app/c",
                                       "restarting app/c", "ended app/a", "restarting app/a",
                                       "started app/a", "started app/b", "started app/c"});
}

TEST_CASE("under rest for one those after the failed actor restart with it")
{
    three it(strategy::rest_for_one);

    REQUIRE(it.b.try_send(fail{}) == sent::accepted);
    it.stage.advance(1s);

    REQUIRE(it.reports.take() == lines{"failed app/b", "restarting app/b", "ended app/c",
                                       "restarting app/c", "started app/b", "started app/c"});
}

TEST_CASE("a sibling that restarts along keeps what was queued for it")
{
    three it(strategy::one_for_all);
    REQUIRE(it.b.try_send(fail{}) == sent::accepted);
    it.stage.run_until_idle();

    REQUIRE(it.a.try_send(add{1}) == sent::accepted);
    REQUIRE(it.c.try_send(add{2}) == sent::accepted);
    it.stage.advance(1s);

    REQUIRE(it.stage.ask(it.a, total{}) == 1);
    REQUIRE(it.stage.ask(it.c, total{}) == 2);
}

TEST_CASE("a transient actor restarts when it fails and not when it finishes")
{
    stage stage;
    journal reports;
    tree app{stage.loop(), "app", patient()};
    app.report_to(reports.writer());
    app.add<adder>("other");
    const auto whom = app.add<adder>("a", child_options{.restart = restart::transient});
    app.start();

    REQUIRE(whom.try_send(fail{}) == sent::accepted);
    stage.advance(1s);
    REQUIRE(whom);
    REQUIRE(whom.try_send(done{}) == sent::accepted);
    stage.advance(10s);

    REQUIRE_FALSE(whom);
    REQUIRE(reports.all == lines{"started app/other", "started app/a", "failed app/a",
                                 "restarting app/a", "started app/a", "ended app/a"});
    stage.stop(app);
}

TEST_CASE("a tree of temporary actors finishes once all of them are done")
{
    stage stage;
    tree app{stage.loop(), "app"};
    app.report_to(nobody_listens());
    const auto a = app.add<adder>("a", child_options{.restart = restart::temporary});
    const auto b = app.add<adder>("b", child_options{.restart = restart::temporary});
    app.start();

    REQUIRE(a.try_send(fail{}) == sent::accepted);
    REQUIRE(b.try_send(done{}) == sent::accepted);
    stage.run_until_idle();

    REQUIRE(app.has_ended());
    REQUIRE(stage.run(app.ended()).kind == exit_kind::finished);
}

TEST_CASE("starting twice and stopping twice is fine, before, during and after")
{
    stage stage;
    journal reports;
    tree app{stage.loop(), "app"};
    app.report_to(reports.writer());
    app.add<adder>("a");
    app.stop();

    app.start();
    app.start();
    stage.run_until_idle();
    REQUIRE(reports.take() == lines{"started app/a"});
    app.stop();
    app.stop();
    stage.stop(app);
    app.start();
    app.stop();

    REQUIRE(reports.take() == lines{"ended app/a"});
}

TEST_CASE("a stop during backoff ends the tree without another start")
{
    three it(strategy::one_for_one);
    REQUIRE(it.b.try_send(fail{}) == sent::accepted);
    it.stage.run_until_idle();
    (void)it.reports.take();

    it.app.stop();
    it.stage.run_until_idle();

    REQUIRE(it.app.has_ended());
    REQUIRE(it.reports.all == lines{"ended app/c", "ended app/a"});
}
