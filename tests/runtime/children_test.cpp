#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

// Has children of its own and listens to what becomes of them, and to those it was told to watch.
struct parent
{
    using messages = cuebox::messages<add, fail, exited>;
    lines* log;
    address<adder::messages>* child;

    awaitable<void> run(self<messages>& me)
    {
        *child = me.spawn<adder>("child");
        while (auto message = co_await me.receive()) {
            if (const auto* news = std::get_if<exited>(&*message))
                log->push_back(news->path() + ' ' + news->reason.what() +
                               (*child == *news ? " (mine)" : ""));
            if (const auto* order = std::get_if<fail>(&*message))
                throw std::runtime_error(order->why);
        }
        log->push_back(*child ? "child alive" : "child gone");
    }
};

// Has a child but does not listen.
struct careless
{
    using messages = cuebox::messages<add>;
    address<adder::messages>* child;
    awaitable<void> run(self<messages>& me)
    {
        *child = me.spawn<adder>("child");
        while (auto message = co_await me.receive())
            (void)child->try_send(add{1});
    }
};

struct watcher
{
    using messages = cuebox::messages<add, fail, exited>;
    lines* log;
    address<adder::messages> whom;
    awaitable<void> run(self<messages>& me)
    {
        me.watch(whom);
        while (auto message = co_await me.receive()) {
            if (const auto* news = std::get_if<exited>(&*message))
                log->push_back(news->path() + ' ' + news->reason.what());
            else if (std::holds_alternative<add>(*message))
                me.watch(whom);
            else
                throw std::runtime_error("told to fail");
        }
    }
};

}

TEST_CASE("an actor learns how its child ended")
{
    stage stage;
    lines log;
    address<adder::messages> child;
    tree app{stage.loop(), "app"};
    app.report_to(nobody_listens());
    app.add<parent>("parent", &log, &child);
    app.start();
    stage.run_until_idle();
    REQUIRE(child.path() == "app/parent/child");

    REQUIRE(child.try_send(fail{"no luck"}) == sent::accepted);
    stage.run_until_idle();

    REQUIRE(log == lines{"app/parent/child no luck (mine)"});
    REQUIRE(child.try_send(add{1}) == sent::gone);
    stage.stop(app);
}

TEST_CASE("children are stopped before their parent's end is reported")
{
    stage stage;
    lines log;
    journal reports;
    address<adder::messages> child;
    bool child_was_gone = false;
    tree app{stage.loop(), "app"};
    app.report_to([&](const report& each) {
        reports.writer()(each);
        if (each.what == report::kind::ended)
            child_was_gone = !child;
    });
    app.add<parent>("parent", &log, &child);
    app.start();
    stage.run_until_idle();
    REQUIRE(child);

    stage.stop(app);

    REQUIRE(child_was_gone);
    REQUIRE(reports.all == lines{"started app/parent", "ended app/parent"});
}

TEST_CASE("a child's failure fails a parent that does not listen, and its restart has a new child")
{
    stage stage;
    journal reports;
    address<adder::messages> child;
    tree app{stage.loop(), "app", patient()};
    app.report_to(reports.writer());
    app.add<careless>("careless", &child);
    app.start();
    stage.run_until_idle();
    const auto first = child;

    REQUIRE(child.try_send(fail{}) == sent::accepted);
    stage.advance(1s);

    REQUIRE(reports.all == lines{"started app/careless", "failed app/careless/child",
                                 "failed app/careless", "restarting app/careless",
                                 "started app/careless"});
    REQUIRE(child != first);
    REQUIRE(child);
    stage.stop(app);
}

TEST_CASE("a child that finishes does not fail a parent that does not listen")
{
    stage stage;
    journal reports;
    address<adder::messages> child;
    tree app{stage.loop(), "app"};
    app.report_to(reports.writer());
    app.add<careless>("careless", &child);
    app.start();
    stage.run_until_idle();

    REQUIRE(child.try_send(done{}) == sent::accepted);
    stage.run_until_idle();

    REQUIRE_FALSE(child);
    REQUIRE(reports.all == lines{"started app/careless"});
    stage.stop(app);
}

TEST_CASE("a parent that fails takes its children along")
{
    stage stage;
    lines log;
    address<adder::messages> child;
    tree app{stage.loop(), "app", patient()};
    app.report_to(nobody_listens());
    const auto whom = app.add<parent>("parent", &log, &child);
    app.start();
    stage.run_until_idle();
    const auto first = child;

    REQUIRE(whom.try_send(fail{}) == sent::accepted);
    stage.run_until_idle();

    REQUIRE_FALSE(first);
    stage.advance(1s);
    REQUIRE(child);
    REQUIRE(log.empty());
    stage.stop(app);
}

TEST_CASE("a watcher hears of the end for good, not of a restart")
{
    stage stage;
    lines log;
    tree app{stage.loop(), "app", patient()};
    app.report_to(nobody_listens());
    const auto whom = app.add<adder>("watched", child_options{.restart = restart::transient});
    app.add<watcher>("watcher", &log, whom);
    app.start();
    REQUIRE(whom.try_send(fail{}) == sent::accepted);
    stage.advance(1s);
    REQUIRE(log.empty());

    REQUIRE(whom.try_send(done{}) == sent::accepted);
    stage.run_until_idle();

    REQUIRE(log == lines{"app/watched finished"});
    stage.stop(app);
}

TEST_CASE("a watcher hears why, also when it begins to watch after the end")
{
    stage stage;
    lines log;
    tree app{stage.loop(), "app", patient()};
    app.report_to(nobody_listens());
    const auto whom = app.add<adder>("watched", child_options{.restart = restart::temporary});
    const auto eyes = app.add<watcher>("watcher", &log, whom);
    app.start();
    REQUIRE(whom.try_send(fail{"no luck"}) == sent::accepted);
    stage.run_until_idle();
    REQUIRE(log == lines{"app/watched no luck"});

    REQUIRE(eyes.try_send(add{1}) == sent::accepted);
    stage.run_until_idle();

    REQUIRE(log == lines{"app/watched no luck", "app/watched no luck"});
    stage.stop(app);
}

TEST_CASE("a watcher that has ended is no trouble")
{
    stage stage;
    lines log;
    tree watched{stage.loop(), "watched"};
    const auto whom = watched.add<adder>("actor");
    watched.start();
    {
        tree app{stage.loop(), "app"};
        app.add<watcher>("watcher", &log, whom);
        app.start();
        stage.run_until_idle();
        stage.stop(app);
    }

    stage.stop(watched);

    REQUIRE(log.empty());
}

TEST_CASE("an actor that watches another again after a restart hears of its end once")
{
    stage stage;
    lines log;
    tree app{stage.loop(), "app", patient()};
    app.report_to(nobody_listens());
    const auto whom = app.add<adder>("watched", child_options{.restart = restart::temporary});
    const auto eyes = app.add<watcher>("watcher", &log, whom);
    app.start();
    stage.run_until_idle();
    REQUIRE(eyes.try_send(fail{}) == sent::accepted);
    stage.advance(1s);

    REQUIRE(whom.try_send(done{}) == sent::accepted);
    stage.run_until_idle();

    REQUIRE(log == lines{"app/watched finished"});
    stage.stop(app);
}
