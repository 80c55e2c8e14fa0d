#include "refusal.hpp"

#include <cuebox/config/node.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::config;
using cuebox::config::test::refusal;

TEST_CASE("a default node is an empty object at the root", "[config]")
{
    const node root;

    REQUIRE(root.kind() == kind::object);
    REQUIRE(root.path().empty());
    REQUIRE(root.size() == 0);
    REQUIRE(root.keys().empty());
    REQUIRE_FALSE(root.find("anything"));
}

TEST_CASE("an error of a default node leads with its path, having no source", "[config]")
{
    REQUIRE(refusal([] { node{}.as_bool(); }) == "/: expected boolean, got object");
}

TEST_CASE("every kind is told apart", "[config]")
{
    const auto root =
        parse(R"([null, true, -1, 1.5, "x", [], {}, 18446744073709551615])", "app.jaxn");

    std::vector<std::string> kinds;
    for (std::size_t i = 0; i < root.size(); ++i)
        kinds.emplace_back(to_string(root.element(i).kind()));

    REQUIRE(kinds == std::vector<std::string>{"null", "boolean", "integer", "number", "string",
                                              "array", "object", "integer"});
}

TEST_CASE("a node knows its path", "[config]")
{
    const auto root = parse("{ children: [{ params: { every: 1 } }] }", "app.jaxn");

    const auto every = root.find("children")->element(0).find("params")->find("every");

    REQUIRE(every->path() == "/children/0/params/every");
}

TEST_CASE("slashes and tildes in keys are escaped in the path", "[config]")
{
    const auto root = parse(R"({ "a/b~c": 1 })", "app.jaxn");

    REQUIRE(root.find("a/b~c")->path() == "/a~1b~0c");
}

TEST_CASE("a node keeps its document alive", "[config]")
{
    node kept;
    {
        const auto root = parse("{ deep: { inside: 'still here' } }", "app.jaxn");
        kept = *root.find("deep")->find("inside");
    }

    REQUIRE(kept.as_string() == "still here");
}

TEST_CASE("an accessor of another kind is refused with source and path", "[config]")
{
    const auto five = *parse("{ a: 5 }", "app.jaxn").find("a");
    const auto text = *parse("{ a: 'x' }", "app.jaxn").find("a");

    REQUIRE(refusal([&] { five.as_bool(); }) == "app.jaxn: /a: expected boolean, got integer");
    REQUIRE(refusal([&] { five.as_string(); }) == "app.jaxn: /a: expected string, got integer");
    REQUIRE(refusal([&] { five.size(); }) == "app.jaxn: /a: expected array or object, got integer");
    REQUIRE(refusal([&] { five.element(0); }) == "app.jaxn: /a: expected array, got integer");
    REQUIRE(refusal([&] { five.find("b"); }) == "app.jaxn: /a: expected object, got integer");
    REQUIRE(refusal([&] { five.keys(); }) == "app.jaxn: /a: expected object, got integer");
    REQUIRE(refusal([&] { text.as_signed(); }) == "app.jaxn: /a: expected integer, got string");
    REQUIRE(refusal([&] { text.as_unsigned(); }) == "app.jaxn: /a: expected integer, got string");
    REQUIRE(refusal([&] { text.as_double(); }) == "app.jaxn: /a: expected number, got string");
}

TEST_CASE("an element beyond the end is refused", "[config]")
{
    const auto root = parse("[1, 2]", "app.jaxn");

    REQUIRE(refusal([&] { root.element(2); }) == "app.jaxn: /: has no element 2");
}

TEST_CASE("a refusal may blame a key the object lacks", "[config]")
{
    const auto child = *parse("{ child: {} }", "app.jaxn").find("child");

    REQUIRE(refusal([&] { child.refuse("too bad"); }) == "app.jaxn: /child: too bad");
    REQUIRE(refusal([&] { child.refuse("name", "too bad"); }) == "app.jaxn: /child/name: too bad");
}
