#include "orders.hpp"
#include "refusal.hpp"

#include <catch2/catch_template_test_macros.hpp>
#include <catch2/catch_test_macros.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <unordered_map>

using namespace cuebox::event;
using namespace cuebox::event::test;

namespace {

template <class T>
T read_one(std::string_view value)
{
    return decode<one<T>>(R"({"a":)" + std::string{value} + "}").a;
}

template <class T>
std::string refusal_of_one(std::string_view value)
{
    return refusal_of<one<T>>(R"({"a":)" + std::string{value} + "}");
}

template <class T>
std::string written(const T& value)
{
    const auto json = encode(one<T>{value});
    return json.substr(5, json.size() - 6);
}

}

TEMPLATE_TEST_CASE("an integer keeps its smallest and its largest value", "[event]", std::int8_t,
                   std::uint8_t, std::int16_t, std::uint16_t, std::int32_t, std::uint32_t,
                   std::int64_t, std::uint64_t, long long, unsigned long long)
{
    using bounds = std::numeric_limits<TestType>;

    REQUIRE(written(bounds::min()) == std::to_string(bounds::min()));
    REQUIRE(written(bounds::max()) == std::to_string(bounds::max()));
    REQUIRE(read_one<TestType>(written(bounds::min())) == bounds::min());
    REQUIRE(read_one<TestType>(written(bounds::max())) == bounds::max());
}

TEST_CASE("an integer beyond its limits is refused, never narrowed", "[event]")
{
    REQUIRE(refusal_of_one<std::int8_t>("128") == "/a: 128 is out of range: expected -128 to 127");
    REQUIRE(refusal_of_one<std::int8_t>("-129") ==
            "/a: -129 is out of range: expected -128 to 127");
    REQUIRE(refusal_of_one<std::uint16_t>("-1") == "/a: -1 is out of range: expected 0 to 65535");
    REQUIRE(refusal_of_one<std::int64_t>("9223372036854775808") ==
            "/a: 9223372036854775808 is out of range: "
            "expected -9223372036854775808 to 9223372036854775807");
    REQUIRE(refusal_of_one<std::int64_t>("-9223372036854775809") ==
            "/a: -9223372036854775809 is out of range: "
            "expected -9223372036854775808 to 9223372036854775807");
    REQUIRE(refusal_of_one<std::uint64_t>("18446744073709551616") ==
            "/a: 18446744073709551616 is out of range: expected 0 to 18446744073709551615");
    REQUIRE(refusal_of_one<int>("1e400") ==
            "/a: 1e400 is out of range: expected -2147483648 to 2147483647");
}

TEST_CASE("a whole number may be written with a point or an exponent", "[event]")
{
    REQUIRE(read_one<int>("1e3") == 1000);
    REQUIRE(read_one<unsigned>("5.0") == 5);
    REQUIRE(read_one<unsigned>("-0") == 0);
    REQUIRE(read_one<unsigned>("-0.0") == 0);
    REQUIRE(read_one<int>("-2.5e1") == -25);
    REQUIRE(refusal_of_one<int>("1.5") == "/a: expected integer, got 1.5");
    REQUIRE(refusal_of_one<unsigned>("-1.0") ==
            "/a: -1.0 is out of range: expected 0 to 4294967295");
}

TEST_CASE("a double is read back as the same double", "[event]")
{
    using bounds = std::numeric_limits<double>;
    for (const double value : {0.0, 0.1, 1.0 / 3, 1e300, bounds::min(), bounds::max(),
                               bounds::lowest(), bounds::denorm_min(), 9007199254740993.0})
        REQUIRE(read_one<double>(written(value)) == value);
    REQUIRE(std::signbit(read_one<double>(written(-0.0))));
    REQUIRE(written(12.0) == "12");
    REQUIRE(written(4.5) == "4.5");
    REQUIRE(read_one<double>("7") == 7);
}

TEST_CASE("a number that no double can hold is refused", "[event]")
{
    REQUIRE(refusal_of_one<double>("1e309") == "/a: 1e309 is out of the range of a double");
    REQUIRE(refusal_of_one<double>("true") == "/a: expected number, got boolean");
}

TEST_CASE("a number that is not finite is refused with its path", "[event]")
{
    using bounds = std::numeric_limits<double>;
    using list = std::vector<double>;

    REQUIRE(refusal_to_encode(one<list>{{1, bounds::infinity()}}) ==
            "/a/1: infinity is not a JSON number");
    REQUIRE(refusal_to_encode(one<list>{{-bounds::infinity()}}) ==
            "/a/0: infinity is not a JSON number");
    REQUIRE(refusal_to_encode(one<double>{bounds::quiet_NaN()}) == "/a: NaN is not a JSON number");
}

TEST_CASE("booleans are true and false alone", "[event]")
{
    REQUIRE(written(true) == "true");
    REQUIRE(read_one<bool>("true"));
    REQUIRE_FALSE(read_one<bool>("false"));
    REQUIRE(refusal_of_one<bool>("1") == "/a: expected boolean, got number");
    REQUIRE(refusal_of_one<bool>("tru") == "/a: not JSON at byte 5: expected a value");
}

TEST_CASE("an enum is written by name, and an unknown name is refused with the valid ones",
          "[event]")
{
    REQUIRE(written(currency::usd) == R"("USD")");
    REQUIRE(read_one<currency>(R"("EUR")") == currency::eur);
    REQUIRE(refusal_of_one<currency>(R"("eur")") ==
            "/a: unknown value \"eur\": expected one of EUR, USD");
    REQUIRE(refusal_of_one<currency>("0") == "/a: expected string, got number");
    REQUIRE(refusal_to_encode(one<currency>{static_cast<currency>(7)}) ==
            "/a: no name is given to the value 7");
}

TEST_CASE("a variant says in `type` which alternative it is, wherever that key stands", "[event]")
{
    using payment = std::variant<card, invoice>;

    REQUIRE(written(payment{card{"1234"}}) == R"({"type":"card","last_digits":"1234"})");
    REQUIRE(read_one<payment>(R"({"type":"card","last_digits":"1"})") == payment{card{"1"}});
    REQUIRE(read_one<payment>(R"({"days":3,"x":{"type":"card"},"type":"invoice"})") ==
            payment{invoice{3, {}}});
}

TEST_CASE("a variant without a known type is refused", "[event]")
{
    using payment = std::variant<card, invoice>;

    REQUIRE(refusal_of_one<payment>(R"({"days":3})") ==
            "/a/type: required, but missing: one of card, invoice");
    REQUIRE(refusal_of_one<payment>(R"({"type":"cash"})") ==
            "/a/type: unknown value \"cash\": expected one of card, invoice");
    REQUIRE(refusal_of_one<payment>(R"({"type":"card","type":"card"})") ==
            "/a/type: the key is there twice");
    REQUIRE(refusal_of_one<payment>(R"({"type":"invoice","days":"3"})") ==
            "/a/days: expected integer, got string");
    REQUIRE(refusal_of_one<payment>("3") == "/a: expected object, got number");
}

TEST_CASE("containers nest", "[event]")
{
    using matrix = std::map<std::string, std::vector<std::array<int, 2>>>;
    const matrix rows{{"", {}}, {"b", {{1, 2}, {3, 4}}}};

    REQUIRE(written(rows) == R"({"":[],"b":[[1,2],[3,4]]})");
    REQUIRE(read_one<matrix>(written(rows)) == rows);
    REQUIRE(read_one<std::unordered_map<std::string, int>>(R"({"x":1})").at("x") == 1);
    REQUIRE(read_one<std::vector<bool>>(written(std::vector<bool>{true, false})) ==
            std::vector<bool>{true, false});
}

TEST_CASE("an array of fixed length is refused when it is longer or shorter", "[event]")
{
    using pair = std::array<int, 2>;

    REQUIRE(refusal_of_one<pair>("[1]") == "/a: expected 2 elements, got 1");
    REQUIRE(refusal_of_one<pair>("[1,2,3]") == "/a/2: expected 2 elements, got more");
}

TEST_CASE("uuids and times are strings of one form", "[event]")
{
    REQUIRE(refusal_of_one<uuid>(R"("01938a5e")") == "/a: not a UUID: \"01938a5e\"");
    REQUIRE(refusal_of_one<timestamp>(R"("2026-02-30T00:00:00Z")") ==
            "/a: not an RFC 3339 time: \"2026-02-30T00:00:00Z\"");
    REQUIRE(refusal_of_one<timestamp>("1") == "/a: expected string, got number");
    REQUIRE(refusal_to_encode(one<timestamp>{timestamp::max()}) ==
            "/a: a time outside the years 0001 to 9999");
}

TEST_CASE("raw JSON passes through as it is, and is checked on the way", "[event]")
{
    REQUIRE(read_one<raw_json>(R"( {"b": [1]} )").text == R"({"b": [1]})");
    REQUIRE(written(raw_json{R"({"b": [1]})"}) == R"({"b": [1]})");
    REQUIRE(refusal_to_encode(one<raw_json>{{R"({"b":[1,"\ud800"]})"}}) ==
            "/a/b/1: half of a surrogate pair");
    REQUIRE(refusal_to_encode(one<raw_json>{{"1 2"}}) ==
            "/a: not JSON at byte 2: expected nothing more");
}
