#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

awaitable<void> send_to_nobody(sent& result)
{
    const address<adder::messages> nobody;
    add message{1};
    result = co_await nobody.send(message);
}

}

TEST_CASE("a default address is nobody's and every send to it answers gone")
{
    stage stage;
    const address<adder::messages> nobody;
    sent result = sent::accepted;

    stage.run(send_to_nobody(result));

    REQUIRE(result == sent::gone);
    REQUIRE(nobody.try_send(add{1}) == sent::gone);
    REQUIRE_FALSE(nobody);
    REQUIRE(nobody.path() == "(nobody)");
    REQUIRE_THROWS_AS(stage.ask(nobody, total{}), ask_error);
}

TEST_CASE("an address is valid over a restart, and what was queued survives it")
{
    stage stage;
    tree app{stage.loop(), "app", patient()};
    app.report_to(nobody_listens());
    std::vector<int> seen;
    const auto whom = app.add<adder>("adder", &seen);
    app.start();
    for (int i = 1; i <= 3; ++i)
        REQUIRE(whom.try_send(add{i}) == sent::accepted);
    REQUIRE(whom.try_send(fail{}) == sent::accepted);
    for (int i = 4; i <= 6; ++i)
        REQUIRE(whom.try_send(add{i}) == sent::accepted);

    stage.run_until_idle();
    REQUIRE(seen == std::vector{1, 2, 3});
    REQUIRE(whom.try_send(add{7}) == sent::accepted);
    stage.advance(1s);

    REQUIRE(seen == std::vector{1, 2, 3, 4, 5, 6, 7});
    REQUIRE(stage.ask(whom, total{}) == 4 + 5 + 6 + 7);
    REQUIRE(whom);
    stage.stop(app);
    REQUIRE_FALSE(whom);
}

TEST_CASE("an address can be kept, named and asked after its tree is gone")
{
    stage stage;
    address<adder::messages> whom;
    {
        tree app{stage.loop(), "app"};
        whom = app.add_supervisor("pool").add<adder>("adder");
        app.start();
        stage.stop(app);
    }

    REQUIRE(whom.path() == "app/pool/adder");
    REQUIRE(whom.try_send(add{1}) == sent::gone);
    REQUIRE_THROWS_AS(stage.ask(whom, total{}), ask_error);
}

TEST_CASE("what is sent before the start is kept for it")
{
    stage stage;
    tree app{stage.loop(), "app"};
    const auto whom = app.add<adder>("adder");

    REQUIRE(whom.try_send(add{4}) == sent::accepted);
    app.start();

    REQUIRE(stage.ask(whom, total{}) == 4);
    stage.stop(app);
}

TEST_CASE("a tree that never started drops what was sent to it")
{
    stage stage;
    address<adder::messages> whom;
    {
        tree app{stage.loop(), "app"};
        whom = app.add<adder>("adder");
        REQUIRE(whom.try_send(add{1}) == sent::accepted);
    }

    REQUIRE(whom.try_send(add{1}) == sent::gone);
}
