#include "orders.hpp"
#include "refusal.hpp"

#include <cuebox/event/schema.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>

using namespace cuebox::event;
using namespace cuebox::event::test;

namespace event_schema_test {

struct tree
{
    std::string name;
    std::vector<tree> children;
};

struct leaf
{
    static constexpr std::string_view tag = "leaf";
};

struct branch;
using node = std::variant<leaf, branch>;

struct branch
{
    std::vector<node> nodes;
    static constexpr std::string_view tag = "branch";
};

template <class T>
std::string schema_of_field()
{
    const auto schema = json_schema<one<T>>();
    const auto begin = schema.find(R"("a":)") + 4;
    return schema.substr(begin, schema.find(R"(},"required")") - begin);
}

}

using namespace event_schema_test;

TEST_CASE("a payload's schema says whose it is, what is in it and what is required", "[event]")
{
    REQUIRE(
        json_schema<order_placed>() ==
        R"({"$schema":"https://json-schema.org/draft/2020-12/schema",)"
        R"("event_type":"order.placed","event_version":1,"type":"object","properties":{)"
        R"("order_id":{"type":"string","format":"uuid"},)"
        R"("number":{"type":"integer","minimum":-9223372036854775808,)"
        R"("maximum":9223372036854775807},)"
        R"("placed_at":{"type":"string","format":"date-time"},)"
        R"("currency":{"type":"string","enum":["EUR","USD"]},)"
        R"("items":{"type":"array","items":{"type":"object","properties":{"sku":{"type":"string"},)"
        R"("count":{"type":"integer","minimum":0,"maximum":4294967295},"price":{"type":"number"}},)"
        R"("required":["sku","count","price"]}},)"
        R"("payment":{"oneOf":[{"type":"object","properties":{"type":{"const":"card"},)"
        R"("last_digits":{"type":"string"}},"required":["type","last_digits"]},)"
        R"({"type":"object","properties":{"type":{"const":"invoice"},)"
        R"("days":{"type":"integer","minimum":-2147483648,"maximum":2147483647},)"
        R"("reference":{"type":"string"}},"required":["type","days"]}]},)"
        R"("labels":{"type":"object","additionalProperties":{"type":"string"}},)"
        R"("note":{"type":"string"},"gift":{"type":"boolean"},)"
        R"("priority":{"type":"integer","minimum":-2147483648,"maximum":2147483647}},)"
        R"("required":["order_id","number","placed_at","currency","items","payment","labels",)"
        R"("gift"]})");
}

TEST_CASE("each type has its schema", "[event]")
{
    REQUIRE(schema_of_field<bool>() == R"({"type":"boolean"})");
    REQUIRE(schema_of_field<std::int8_t>() == R"({"type":"integer","minimum":-128,"maximum":127})");
    REQUIRE(schema_of_field<std::uint64_t>() ==
            R"({"type":"integer","minimum":0,"maximum":18446744073709551615})");
    REQUIRE(schema_of_field<std::optional<double>>() == R"({"type":"number"})");
    REQUIRE(schema_of_field<std::vector<std::optional<bool>>>() ==
            R"({"type":"array","items":{"anyOf":[{"type":"boolean"},{"type":"null"}]}})");
    REQUIRE(schema_of_field<std::array<bool, 3>>() ==
            R"({"type":"array","items":{"type":"boolean"},"minItems":3,"maxItems":3})");
    REQUIRE(schema_of_field<raw_json>() == "{}");
}

TEST_CASE("a type inside itself refers to where it began", "[event]")
{
    REQUIRE(json_schema<tree>() ==
            R"({"type":"object","properties":{"name":{"type":"string"},)"
            R"("children":{"type":"array","items":{"$ref":"#"}}},"required":["name","children"]})");
    REQUIRE(schema_of_field<std::vector<tree>>().find(R"({"$ref":"#/properties/a/items"})") !=
            std::string::npos);
    REQUIRE(json_schema<one<node>>().find(R"({"$ref":"#/properties/a"})") != std::string::npos);
}
