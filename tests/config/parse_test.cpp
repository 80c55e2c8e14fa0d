#include "refusal.hpp"

#include <cuebox/config/parse.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::config;
using cuebox::config::test::refusal;

namespace {

std::string refusal_of_text(std::string_view text)
{
    return refusal([text] { parse(text, "app.jaxn"); });
}

std::string nested(std::size_t levels)
{
    return std::string(levels, '[') + std::string(levels, ']');
}

}

TEST_CASE("comments of every form are skipped", "[config]")
{
    const auto root =
        parse("# hash\n{ // slashes\n a: /* block\n of lines */ 1 }\n# end", "app.jaxn");

    REQUIRE(root.find("a")->as_signed() == 1);
}

TEST_CASE("keys need no quotes and a last comma is harmless", "[config]")
{
    const auto root = parse(R"({ plain: 1, 'single': 2, "double": [3, 4,], })", "app.jaxn");

    REQUIRE(root.keys() == std::vector<std::string>{"double", "plain", "single"});
    REQUIRE(root.find("double")->size() == 2);
}

TEST_CASE("strings may span lines or be joined", "[config]")
{
    const auto root = parse("{ sql: \"\"\"\nselect 1\n\"\"\", long: \"a\" + 'b' }", "app.jaxn");

    REQUIRE(root.find("sql")->as_string() == "select 1\n");
    REQUIRE(root.find("long")->as_string() == "ab");
}

TEST_CASE("a syntax error names the source, the line and the column", "[config]")
{
    REQUIRE(refusal_of_text("{\n  a: 1,\n  b 2\n}") == "app.jaxn:3:5: expected ':'");
    REQUIRE(refusal_of_text("[1, 2") == "app.jaxn:1:6: incomplete array, expected value or ']'");
    REQUIRE(refusal_of_text("{a: 01}") == "app.jaxn:1:5: invalid leading zero");
    REQUIRE(refusal_of_text("{} {}") == "app.jaxn:1:4: unexpected character after JAXN value");
    REQUIRE(refusal_of_text("") == "app.jaxn:1:1: no valid JAXN");
}

TEST_CASE("a syntax error has no path", "[config]")
{
    try {
        parse("{", "app.jaxn");
        FAIL("not refused");
    }
    catch (const error& refused) {
        REQUIRE(refused.path().empty());
    }
}

TEST_CASE("a key written twice is refused, quoted or not", "[config]")
{
    REQUIRE(refusal_of_text("{\n  a: 1,\n  a: 2\n}") == "app.jaxn:3:4: duplicate key \"a\"");
    REQUIRE(refusal_of_text("{ b: { a: 1, 'a': 2 } }") == "app.jaxn:1:17: duplicate key \"a\"");
}

TEST_CASE("a key may come again in another object", "[config]")
{
    const auto root = parse("{ a: { a: 1 }, b: [{ a: 2 }, { a: 3 }] }", "app.jaxn");

    REQUIRE(root.find("b")->element(1).find("a")->as_signed() == 3);
}

TEST_CASE("what plain JSON cannot say is refused", "[config]")
{
    REQUIRE(refusal_of_text("{a: NaN}") == "app.jaxn:1:8: NaN and Infinity are not accepted");
    REQUIRE(refusal_of_text("{a: -Infinity}") ==
            "app.jaxn:1:14: NaN and Infinity are not accepted");
    REQUIRE(refusal_of_text("{a: $ff}") == "app.jaxn:1:8: binary data is not accepted");
}

TEST_CASE("a number beyond double is refused near where it stands", "[config]")
{
    REQUIRE(refusal_of_text("{\n  a: 1e999\n}") == "app.jaxn:2:4: invalid double value");
    REQUIRE(refusal_of_text("[1,\n2, 1e999]") == "app.jaxn:2:2: invalid double value");
}

TEST_CASE("nesting is accepted up to its limit and refused beyond", "[config]")
{
    REQUIRE(refusal_of_text(nested(nesting_max)) == "not refused");
    REQUIRE(refusal_of_text(nested(nesting_max + 1)) ==
            "app.jaxn:1:66: nested deeper than 64 levels");
}

TEST_CASE("a hostile depth is refused rather than exhausting the stack", "[config]")
{
    const std::string arrays(1'000'000, '[');
    std::string objects;
    for (int i = 0; i < 100'000; ++i)
        objects += "{a:";

    REQUIRE(refusal_of_text(arrays) == "app.jaxn:1:66: nested deeper than 64 levels");
    REQUIRE(refusal_of_text(objects) == "app.jaxn:1:194: nested deeper than 64 levels");
}
