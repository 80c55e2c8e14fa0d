#include <cuebox/compose/compose.hpp>
#include <cuebox/config/error.hpp>
#include <cuebox/runtime/stage.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers.hpp>

#include <string>
#include <vector>

using namespace std::chrono_literals;

namespace {

struct line
{
    std::string text;
};
using printer_messages = cuebox::messages<line>;

std::vector<std::string> printed;

struct printer
{
    using messages = printer_messages;

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        while (auto message = co_await me.receive())
            printed.push_back(std::get<line>(*message).text);
    }
};

struct ticker
{
    struct tick
    {};
    using messages = cuebox::messages<tick>;
    struct params
    {
        cuebox::duration every = 1s;
        std::string to;
        std::string say = "tick";

        static constexpr std::string_view required[] = {"to"};
    };

    ticker(params given, cuebox::directory names)
        : given_(std::move(given)),
          to_(names.find<printer_messages>(given_.to))
    {}

    cuebox::awaitable<void> run(cuebox::self<messages>& me)
    {
        me.every(given_.every, tick{});
        while (auto message = co_await me.receive()) {
            line said{given_.say + " from " + me.path()};
            co_await to_.send(said);
        }
    }

    params given_;
    cuebox::address<printer_messages> to_;
};

const cuebox::kinds& all_kinds()
{
    static const cuebox::kinds registered = [] {
        cuebox::kinds kinds;
        kinds.add<printer>("printer");
        kinds.add<ticker>("ticker");
        return kinds;
    }();
    return registered;
}

std::string refusal_of(std::string_view text)
{
    cuebox::stage stage;
    try {
        (void)cuebox::compose(cuebox::parse_tree(text, "app.jaxn"), all_kinds(), stage.loop());
    }
    catch (const cuebox::config::error& refused) {
        return refused.what();
    }
    return "(accepted)";
}

}

TEST_CASE("a tree described in JSON with comments runs", "[compose]")
{
    printed.clear();
    cuebox::stage stage;
    const auto spec = cuebox::parse_tree(R"({
        name: "app",                          # the root is a supervisor
        strategy: "rest_for_one",
        children: [
            { name: "out", kind: "printer", capacity: 16 },
            { name: "tickers", intensity: { restarts: 3, within: "10s" }, children: [
                { name: "slow", kind: "ticker", params: { to: "app/out", every: "2s" } },
                { name: "fast", kind: "ticker", count: 2, restart: "transient",
                  params: { to: "app/out", say: "tock" } },
            ] },
        ],
    })",
                                         "app.jaxn");
    auto app = cuebox::compose(spec, all_kinds(), stage.loop());

    app->start();
    stage.advance(2s);

    REQUIRE(printed ==
            std::vector<std::string>{"tock from app/tickers/fast-1", "tock from app/tickers/fast-2",
                                     "tick from app/tickers/slow", "tock from app/tickers/fast-1",
                                     "tock from app/tickers/fast-2"});
    REQUIRE(stage.stop(*app).kind == cuebox::exit_kind::stopped);
}

TEST_CASE("a tree described by a struct runs on the loops it names", "[compose]")
{
    printed.clear();
    cuebox::stage stage;
    const cuebox::loops others{{"second", &stage.add_loop()}};
    const cuebox::child_spec spec{
        .name = "app",
        .children = {{.name = "out", .kind = "printer", .loop = "second"}},
    };
    auto app = cuebox::compose(spec, all_kinds(), stage.loop(), others);

    app->start();
    auto out = app->find<printer_messages>("app/out");
    REQUIRE(out.try_send(line{"hello"}) == cuebox::sent::accepted);
    stage.run_until_idle();

    REQUIRE(printed == std::vector<std::string>{"hello"});
    REQUIRE(stage.stop(*app).kind == cuebox::exit_kind::stopped);
}

TEST_CASE("a wrong description is refused with the path of what is wrong", "[compose]")
{
    REQUIRE(refusal_of(R"({name: "app", children: [{name: "a", kind: "printr"}]})") ==
            "tree: /children/0/kind: no actor kind \"printr\", did you mean \"printer\"? (there is "
            "printer, ticker)");
    REQUIRE(refusal_of(R"({name: "app", children: [{name: "a", kind: "ticker"}]})") ==
            "tree: /children/0/params/to: required, but missing");
    REQUIRE(refusal_of(R"({name: "app", children: [
                {name: "a", kind: "ticker", params: {to: "x", every: "soon"}}]})")
                .starts_with("app.jaxn: /children/0/params/every: \"soon\" is not a duration"));
    REQUIRE(refusal_of(R"({name: "app", children: [{name: "a", kind: "printer", params: {x: 1}}]})")
                .starts_with("app.jaxn: /children/0/params: unknown key \"x\""));
    REQUIRE(refusal_of(R"({name: "app", strategy: "one_for_two", children: []})")
                .starts_with("app.jaxn: /strategy: "));
    REQUIRE(refusal_of(R"({name: "app", children: [{name: "a", kind: "printer", restrat: "x"}]})")
                .starts_with(
                    "app.jaxn: /children/0: unknown key \"restrat\", did you mean \"restart\""));
    REQUIRE(refusal_of(R"({name: "app", children: [{name: "a", kind: "printer"},
                                                   {name: "a", kind: "printer"}]})") ==
            "tree: /children/1/name: a sibling is named \"a\" already");
    REQUIRE(refusal_of(R"({name: "app", children: [{name: "a", kind: "printer", loop: "io"}]})") ==
            "tree: /children/0/loop: no loop \"io\" (none is registered)");
    REQUIRE(refusal_of(R"({name: "app", kind: "printer"})") ==
            "tree: /kind: the root of a tree is a supervisor: put \"app\" among its children");
    REQUIRE(refusal_of(R"({name: "app", children: [{name: "empty"}]})") ==
            "tree: /children/0: \"empty\" has neither a kind nor children: give it one of both");
    REQUIRE(refusal_of(R"({name: "app", children: [{name: "a", kind: "printer", count: 0}]})") ==
            "tree: /children/0/count: write at least 1, or leave \"a\" out");
    REQUIRE(refusal_of(R"({name: "app", backoff: {multiplier: 0}, children: []})")
                .starts_with("app.jaxn: /backoff/multiplier: must be at least 1"));
}

TEST_CASE("rules of restarting are checked in a description made in C++ too", "[compose]")
{
    cuebox::stage stage;
    const cuebox::child_spec spec{.name = "app",
                                  .children = {{.name = "out", .kind = "printer"}},
                                  .intensity = {.within = 0s}};

    REQUIRE_THROWS_WITH(cuebox::compose(spec, all_kinds(), stage.loop()),
                        "tree: /intensity/within: must be longer than zero: restarts are counted "
                        "within this time");
}

TEST_CASE("a kind is registered once", "[compose]")
{
    cuebox::kinds kinds;
    kinds.add<printer>("printer");

    REQUIRE_THROWS_AS(kinds.add<ticker>("printer"), std::invalid_argument);
}
