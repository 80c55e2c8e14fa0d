#include "orders.hpp"

#include <cuebox/event/compare.hpp>
#include <cuebox/event/contract.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sstream>

using namespace cuebox::event;
using namespace cuebox::event::test;

namespace event_contract_test {

struct pinged
{
    static constexpr std::string_view event_type = "health.pinged";
    static constexpr int event_version = 12;
};

template <class Action>
std::string contract_refusal(Action action)
{
    try {
        action();
    }
    catch (const contract_error& refused) {
        return refused.what();
    }
    return "not refused";
}

}

using namespace event_contract_test;

TEST_CASE("a program prints its contracts one a line, and they are read back", "[event]")
{
    std::ostringstream out;
    print_contracts<order_placed, pinged>(out);

    const auto contracts = parse_contracts(out.str() + "\n \r\n");

    REQUIRE(contracts.size() == 2);
    REQUIRE(contracts[0].schema == json_schema<order_placed>());
    REQUIRE(contracts[1].title() == "health.pinged v12");
    REQUIRE(contracts[1].file_name() == "health.pinged.v12.json");
}

TEST_CASE("pretty JSON is the same JSON", "[event]")
{
    REQUIRE(pretty(R"({"a":[1,{}],"b":"x{\",:"})") ==
            "{\n  \"a\": [\n    1,\n    {}\n  ],\n  \"b\": \"x{\\\",:\"\n}\n");

    const auto schema = json_schema<order_placed>();
    REQUIRE(pretty(pretty(schema)) == pretty(schema));
    REQUIRE(parse_contract(pretty(schema)).title() == "order.placed v1");
}

TEST_CASE("what is no contract is refused with its line", "[event]")
{
    REQUIRE(contract_refusal([] { parse_contracts("\n{}\n"); }) ==
            "line 2: not a contract, which event::print_contracts prints: "
            "/event_type: required, but missing");
    REQUIRE(contract_refusal([] { parse_contract("hello"); }) ==
            "not a contract, which event::print_contracts prints: "
            "/: not JSON at byte 0: expected a value");
    REQUIRE(contract_refusal([] { parse_contract(R"({"event_type":"a","event_version":0})"); }) ==
            "a: versions start at 1");
}

TEST_CASE("an event type that could lead out of the folder is refused", "[event]")
{
    for (const std::string name : {"", ".", "..", "../x", "a/b", "a\\\\b", ".hidden", "a b"})
        REQUIRE(contract_refusal([&name] {
                    parse_contract(R"({"event_type":")" + name + R"(","event_version":1})");
                }).ends_with("cannot be a file name: use letters, digits, '.', '_' and '-'"));
}

TEST_CASE("a snapshot of another event is refused", "[event]")
{
    const auto contract = parse_contract(json_schema<order_placed>());

    REQUIRE(contract_refusal([&contract] { review_contract(contract, json_schema<pinged>()); }) ==
            "the snapshot of order.placed v1 is one of health.pinged v12: "
            "restore order.placed.v1.json");
}

TEST_CASE("a contract with a number that no double holds is refused", "[event]")
{
    const std::string boundless = R"({"event_type":"a","event_version":1,"maximum":1e9232})";

    REQUIRE(contract_refusal([&] { compare_contracts(boundless, boundless); }) ==
            "a v1: a number in it is out of the range of a double: "
            "print it anew with event::print_contracts");
}
