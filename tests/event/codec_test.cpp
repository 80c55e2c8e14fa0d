#include "orders.hpp"
#include "refusal.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::event;
using namespace cuebox::event::test;

namespace event_codec_test {

struct nothing
{
    bool operator==(const nothing&) const = default;
};

struct settings
{
    std::optional<int> limit;
    std::vector<int> steps{1, 2};
    std::string name = "unnamed";

    static constexpr std::string_view defaulted[] = {"steps", "name"};

    bool operator==(const settings&) const = default;
};

struct tree
{
    std::string name;
    std::vector<tree> children;

    bool operator==(const tree&) const = default;
};

}

using namespace event_codec_test;

TEST_CASE("a payload is written field by field in the order of its struct", "[event]")
{
    REQUIRE(encode(some_order()) == some_order_json);
}

TEST_CASE("what was written is read back the same", "[event]")
{
    REQUIRE(decode<order_placed>(some_order_json) == some_order());
}

TEST_CASE("fields are found in any order and between spaces, as jsonb prints them", "[event]")
{
    const auto read = decode<item>("\n{ \"price\" : 4.5 ,\t\"sku\":\"tea\",\r\n\"count\": 2 } ");

    REQUIRE(read == item{"tea", 2, 4.5});
}

TEST_CASE("encoding appends, and leaves the text as it was when it refuses", "[event]")
{
    std::string text = "before ";

    encode_into(text, one<int>{1});
    REQUIRE(text == R"(before {"a":1})");

    REQUIRE_THROWS_AS(encode_into(text, one<std::string>{"\xFF"}), payload_error);
    REQUIRE(text == R"(before {"a":1})");
}

TEST_CASE("a field the struct does not have is passed over, whatever is in it", "[event]")
{
    const auto read = decode<one<int>>(
        R"({"b":[1,{"a":2,"x":[null,true,false,"\n",-1.5e3]}],"a":1,"c":{},"d":"ü"})");

    REQUIRE(read.a == 1);
}

TEST_CASE("what is passed over still has to be JSON", "[event]")
{
    REQUIRE(refusal_of<one<int>>(R"({"a":1,"b":[1,}]})") ==
            "/b/1: not JSON at byte 14: expected a value");
    REQUIRE(refusal_of<one<int>>(R"({"a":1,"b":{"c":"\u0000"}})") ==
            "/b/c: \\u0000 cannot be stored by Postgres");
}

TEST_CASE("a required field that is missing is named by its path", "[event]")
{
    REQUIRE(refusal_of<one<item>>(R"({"a":{"sku":"tea","price":1}})") ==
            "/a/count: required, but missing");
    REQUIRE(refusal_of<one<std::vector<item>>>(R"({"a":[{"count":1,"price":1}]})") ==
            "/a/0/sku: required, but missing");
    REQUIRE(refusal_of<one<int>>("{}") == "/a: required, but missing");
}

TEST_CASE("a mistyped field is named by its path", "[event]")
{
    constexpr auto json = R"({"items":[{"sku":"a","count":1,"price":1},
                                       {"sku":"a","count":1,"price":"1"}]})";

    REQUIRE(refusal_of<order_placed>(json) == "/items/1/price: expected number, got string");
    REQUIRE(refusal_of<order_placed>(R"({"labels":{"a/b~c":1}})") ==
            "/labels/a~1b~0c: expected string, got number");
    REQUIRE(refusal_of<order_placed>(R"({"labels":{"\u0061\n":1}})") ==
            "/labels/a\n: expected string, got number");
    REQUIRE(refusal_of<order_placed>("[]") == "/: expected object, got array");
}

TEST_CASE("null is an absent optional and nothing else", "[event]")
{
    REQUIRE_FALSE(decode<one<std::optional<int>>>(R"({"a":null})").a);
    REQUIRE_FALSE(decode<one<std::optional<int>>>("{}").a);
    REQUIRE(refusal_of<one<int>>(R"({"a":null})") == "/a: expected integer, got null");
    REQUIRE(refusal_of<one<order_placed>>(R"({"a":null})") == "/a: expected object, got null");
}

TEST_CASE("an empty optional is left out of an object and null in an array", "[event]")
{
    REQUIRE(encode(settings{}) == R"({"steps":[1,2],"name":"unnamed"})");
    REQUIRE(encode(one<std::vector<std::optional<int>>>{{1, std::nullopt}}) == R"({"a":[1,null]})");
}

TEST_CASE("a defaulted field may be absent, but not null", "[event]")
{
    REQUIRE(decode<settings>("{}") == settings{});
    REQUIRE(refusal_of<settings>(R"({"name":null})") == "/name: expected string, got null");
}

TEST_CASE("decoding onto a value replaces all of it", "[event]")
{
    settings old{.limit = 5, .steps = {7, 8, 9}, .name = "old"};

    decode_into(old, "{}");

    REQUIRE(old == settings{});

    auto order = some_order();
    decode_into(order, some_order_json);
    REQUIRE(order == some_order());
}

TEST_CASE("a list read over a longer one is as long as the text says", "[event]")
{
    one<std::vector<std::string>> list{{"a", "b", "c"}};

    decode_into(list, R"({"a":["x"]})");

    REQUIRE(list.a == std::vector<std::string>{"x"});
}

TEST_CASE("a key that is there twice is refused", "[event]")
{
    REQUIRE(refusal_of<one<int>>(R"({"a":1,"a":1})") == "/a: the key is there twice");
    REQUIRE(refusal_of<one<int>>(R"({"a":1,"\u0061":1})") == "/a: the key is there twice");
    REQUIRE(refusal_of<one<std::map<std::string, int>>>(R"({"a":{"x":1,"x":2}})") ==
            "/a/x: the key is there twice");
}

TEST_CASE("a struct without fields is an empty object", "[event]")
{
    REQUIRE(encode(nothing{}) == "{}");
    REQUIRE(decode<nothing>(R"({"a":1})") == nothing{});
}

TEST_CASE("a struct may hold itself", "[event]")
{
    const tree family{"a", {{"b", {}}, {"c", {{"d", {}}}}}};

    REQUIRE(decode<tree>(encode(family)) == family);
    REQUIRE(refusal_of<tree>(R"({"name":"a","children":[{"name":"b","children":[1]}]})") ==
            "/children/0/children/0: expected object, got number");
}
