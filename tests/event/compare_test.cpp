#include "refusal.hpp"

#include <cuebox/event/compare.hpp>
#include <cuebox/event/contract.hpp>

#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cstdint>

using namespace cuebox::event;
using namespace cuebox::event::test;

namespace event_compare_test {

template <class Field>
struct holds
{
    Field field{};

    static constexpr std::string_view event_type = "held";
    static constexpr int event_version = 1;
};

struct plain
{
    static constexpr std::string_view event_type = "held";
    static constexpr int event_version = 1;
};

struct defaulted_field
{
    int field = 1;

    static constexpr std::string_view defaulted[] = {"field"};
    static constexpr std::string_view event_type = "held";
    static constexpr int event_version = 1;
};

enum class two
{
};
enum class three
{
};

struct circle
{
    double radius{};
    static constexpr std::string_view tag = "circle";
};
struct round
{
    std::string radius;
    static constexpr std::string_view tag = "circle";
};
struct square
{
    static constexpr std::string_view tag = "square";
};

struct price
{
    double amount{};
};
struct price_as_text
{
    std::string amount;
};
struct price_with_note
{
    double amount{};
    std::optional<std::string> note;
};

template <class Before, class After>
std::vector<std::string> changes_between()
{
    std::vector<std::string> texts;
    for (const auto& each : compare_contracts(json_schema<Before>(), json_schema<After>()))
        texts.push_back((each.impact == impact::breaking ? "breaking " : "additive ") + each.text);
    return texts;
}

template <class Before, class After>
std::vector<std::string> changes_of_field()
{
    return changes_between<holds<Before>, holds<After>>();
}

using texts = std::vector<std::string>;

}

template <>
struct cuebox::event::enum_names<event_compare_test::two>
{
    static constexpr std::pair<std::string_view, event_compare_test::two> values[] = {
        {"a", {}},
        {"b", {}},
    };
};
template <>
struct cuebox::event::enum_names<event_compare_test::three>
{
    static constexpr std::pair<std::string_view, event_compare_test::three> values[] = {
        {"c", {}},
        {"b", {}},
        {"a", {}},
    };
};

using namespace event_compare_test;

TEST_CASE("a contract that did not change has no changes", "[event]")
{
    REQUIRE(changes_of_field<int, int>().empty());
    REQUIRE(changes_of_field<std::variant<circle, square>, std::variant<square, circle>>().empty());
    REQUIRE(compare_contracts(json_schema<holds<price>>(), pretty(json_schema<holds<price>>()))
                .empty());
}

TEST_CASE("only a field that may be absent can be added", "[event]")
{
    REQUIRE(changes_between<plain, holds<std::optional<int>>>() ==
            texts{"additive /field: optional field added"});
    REQUIRE(changes_between<plain, defaulted_field>() ==
            texts{"additive /field: optional field added"});
    REQUIRE(changes_of_field<std::vector<price>, std::vector<price_with_note>>() ==
            texts{"additive /field/*/note: optional field added"});
    REQUIRE(changes_between<plain, holds<int>>() ==
            texts{"breaking /field: required field added, which stored events lack"});
}

TEST_CASE("a field cannot be removed, whether it is required or not", "[event]")
{
    const texts removed{"breaking /field: field removed, which consumers may need"};

    REQUIRE(changes_between<holds<int>, plain>() == removed);
    REQUIRE(changes_between<holds<std::optional<int>>, plain>() == removed);
}

TEST_CASE("a field cannot change between required and optional", "[event]")
{
    REQUIRE(changes_of_field<int, std::optional<int>>() ==
            texts{"breaking /field: required field became optional, so consumers may miss it"});
    REQUIRE(
        changes_of_field<std::optional<int>, int>() ==
        texts{"breaking /field: optional field became required, but stored events may lack it"});
    REQUIRE(changes_between<holds<std::optional<int>>, defaulted_field>().empty());
}

TEST_CASE("a type cannot change, at any depth", "[event]")
{
    struct row
    {
        texts changes;
        std::string expected;
    };
    const row table[] = {
        {changes_of_field<double, std::string>(), "/field: type changed from number to string"},
        {changes_of_field<std::string, uuid>(), "/field: type changed from string to uuid"},
        {changes_of_field<timestamp, uuid>(), "/field: type changed from date-time to uuid"},
        {changes_of_field<int, double>(), "/field: type changed from integer to number"},
        {changes_of_field<two, std::string>(), "/field: type changed from enum to string"},
        {changes_of_field<price, raw_json>(), "/field: type changed from object to any JSON"},
        {changes_of_field<price, std::map<std::string, double>>(),
         "/field: type changed from object to map"},
        {changes_of_field<std::variant<circle>, circle>(),
         "/field: type changed from variant to object"},
        {changes_of_field<std::vector<price>, std::vector<price_as_text>>(),
         "/field/*/amount: type changed from number to string"},
        {changes_of_field<std::map<std::string, price>, std::map<std::string, price_as_text>>(),
         "/field/*/amount: type changed from number to string"},
        {changes_of_field<std::variant<circle>, std::variant<round>>(),
         "/field<circle>/radius: type changed from number to string"},
    };
    for (const auto& each : table)
        REQUIRE(each.changes == texts{"breaking " + each.expected});
}

TEST_CASE("what a type can hold cannot change", "[event]")
{
    REQUIRE(changes_of_field<std::int8_t, std::uint8_t>() ==
            texts{"breaking /field: range changed from -128 to 127, to 0 to 255"});
    REQUIRE(changes_of_field<std::array<int, 2>, std::array<int, 3>>() ==
            texts{"breaking /field: length changed from 2 to 2, to 3 to 3"});
    REQUIRE(changes_of_field<std::vector<int>, std::vector<std::optional<int>>>() ==
            texts{"breaking /field/*: may now be null"});
    REQUIRE(changes_of_field<std::vector<std::optional<int>>, std::vector<int>>() ==
            texts{"breaking /field/*: may no longer be null"});
}

TEST_CASE("an enum's names cannot change, only their order", "[event]")
{
    REQUIRE(changes_of_field<two, three>() ==
            texts{"breaking /field: value \"c\" added, which consumers refuse"});
    REQUIRE(changes_of_field<three, two>() ==
            texts{"breaking /field: value \"c\" removed, but stored events may have it"});
}

TEST_CASE("a variant's alternatives cannot change", "[event]")
{
    using one_shape = std::variant<circle>;
    using two_shapes = std::variant<circle, square>;

    REQUIRE(changes_of_field<one_shape, two_shapes>() ==
            texts{"breaking /field: alternative \"square\" added, which consumers refuse"});
    REQUIRE(changes_of_field<two_shapes, one_shape>() ==
            texts{"breaking /field: alternative \"square\" removed, but stored events may be it"});
}

TEST_CASE("a contract stands somewhere between new and breaking", "[event]")
{
    const auto now = parse_contract(json_schema<holds<std::optional<int>>>());

    REQUIRE(review_contract(now, std::nullopt).standing == standing::unknown);
    REQUIRE(review_contract(now, pretty(now.schema)).standing == standing::same);
    REQUIRE(review_contract(now, json_schema<plain>()).standing == standing::additive);
    REQUIRE(review_contract(now, json_schema<holds<int>>()).standing == standing::breaking);
}
