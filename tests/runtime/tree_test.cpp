#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct other
{
    using messages = cuebox::messages<add>;
    static constexpr auto kind = "other kind";
    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
        }
    }
};

snapshot running(std::string name, duration uptime)
{
    snapshot taken;
    taken.name = std::move(name);
    taken.state = actor_state::running;
    taken.uptime = uptime;
    return taken;
}

std::string refusal(const tree& app, std::string_view path)
{
    try {
        (void)app.find<adder::messages>(path);
    }
    catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "found";
}

}

TEST_CASE("names of children are unique, not empty and without a slash")
{
    stage stage;
    tree app{stage.loop(), "app"};
    app.add<adder>("a");

    REQUIRE_THROWS_AS(app.add<adder>("a"), std::invalid_argument);
    REQUIRE_THROWS_AS(app.add_supervisor("a"), std::invalid_argument);
    REQUIRE_THROWS_AS(app.add<adder>(""), std::invalid_argument);
    REQUIRE_THROWS_AS(app.add<adder>("b/c"), std::invalid_argument);
}

TEST_CASE("children are added before the start")
{
    stage stage;
    tree app{stage.loop(), "app"};
    app.start();
    stage.run_until_idle();

    REQUIRE_THROWS_AS(app.add<adder>("late"), std::logic_error);
    stage.stop(app);
}

TEST_CASE("an actor is found by its path and the messages it takes")
{
    stage stage;
    tree app{stage.loop(), "app"};
    auto pool = app.add_supervisor("pool");
    const auto whom = pool.add<adder>("adder");
    app.add<other>("other");

    REQUIRE(app.find<adder::messages>(whom.path()) == whom);
    REQUIRE(refusal(app, "app/pool/adder") == "found");
    REQUIRE(refusal(app, "app/pool/nobody") == "no actor 'app/pool/nobody': there is no 'nobody'");
    REQUIRE(refusal(app, "app/other/below") == "no actor 'app/other/below': there is no 'below'");
    REQUIRE(refusal(app, "ape/pool") == "no actor 'ape/pool': the tree is named 'app'");
    REQUIRE(refusal(app, "") == "no actor '': the tree is named 'app'");
    REQUIRE(refusal(app, "app") == "no actor 'app': it is a supervisor and takes no messages");
    REQUIRE(refusal(app, "app/pool") ==
            "no actor 'app/pool': it is a supervisor and takes no messages");
    REQUIRE(refusal(app, "app/other") ==
            "no actor 'app/other': it takes other messages than the ones asked for");
}

TEST_CASE("a snapshot tells how each actor is")
{
    stage stage;
    tree app{stage.loop(), "app", patient()};
    app.report_to(nobody_listens());
    auto pool = app.add_supervisor("pool");
    const auto whom = pool.add<adder>("adder", child_options{.capacity = 8});
    app.add<other>("other");
    REQUIRE(app.snapshot().state == actor_state::waiting);
    for (int i = 0; i < 3; ++i)
        REQUIRE(whom.try_send(add{1}) == sent::accepted);
    REQUIRE(app.snapshot().children[0].children[0].mailbox_depth == 3);

    app.start();
    REQUIRE(whom.try_send(fail{"no luck"}) == sent::accepted);
    stage.run_until_idle();
    const snapshot in_between = app.snapshot();
    stage.advance(2s);
    const snapshot later = app.snapshot();

    const snapshot& failed = in_between.children[0].children[0];
    REQUIRE(failed.name == "adder");
    REQUIRE(failed.state == actor_state::restarting);
    REQUIRE(failed.last_failure == "no luck");
    REQUIRE(failed.mailbox_depth == 0);
    REQUIRE(failed.mailbox_peak == 4);
    const snapshot& restarted = later.children[0].children[0];
    REQUIRE(restarted.state == actor_state::running);
    REQUIRE(restarted.restarts == 1);
    REQUIRE(restarted.kind == "actor");
    REQUIRE(later.kind == "supervisor");
    REQUIRE(later.children[1].kind == "other kind");
    REQUIRE(later.children[1].uptime == 2s);
    stage.stop(app);
    REQUIRE(app.snapshot().children[1].state == actor_state::ended);
}

TEST_CASE("a snapshot prints as a tree, a line per actor")
{
    snapshot worker = running("worker", 1500ms);
    worker.restarts = 2;
    worker.mailbox_depth = 1;
    worker.mailbox_peak = 9;
    worker.last_failure = "no luck";
    snapshot pool = running("pool", 90s);
    pool.children = {worker};
    snapshot idle = running("b", 0s);
    idle.state = actor_state::restarting;
    snapshot root = running("app", 2h);
    root.children = {pool, idle};

    const std::string text = to_string(root);

    REQUIRE(text == "app             running    up 2.0h    restarts 0   mailbox 0 (peak 0)\n"
                    "├── pool        running    up 1m30s   restarts 0   mailbox 0 (peak 0)\n"
                    "│   └── worker  running    up 1.5s    restarts 2   mailbox 1 (peak 9)"
                    "  last failure: no luck\n"
                    "└── b           restarting up 0ms     restarts 0   mailbox 0 (peak 0)\n");
}
