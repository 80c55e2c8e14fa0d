#include "refusal.hpp"

#include <cuebox/event/check.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::event;
using namespace cuebox::event::test;

namespace {

std::string check(std::string_view json)
{
    return refusal([json] { check_payload(json); });
}

std::string check_number(const std::string& number)
{
    return check(R"({"a":[)" + number + "]}");
}

}

TEST_CASE("any JSON object can be a payload", "[event]")
{
    for (const auto* json :
         {"{}", " { } ", R"({"a":null})", R"({"":{"":[]}})", R"({"a":[{},[],"",0,-0,1e5,true]})",
          R"({"a":{"b":1},"c":{"b":1}})", "\t{\"a\"\r\n:\t1}\n"})
        REQUIRE(check(json) == "not refused");
}

TEST_CASE("a payload that is no object is told what it is", "[event]")
{
    REQUIRE(check("[]") == "/: a payload is an object, got array");
    REQUIRE(check("1") == "/: a payload is an object, got number");
    REQUIRE(check("null") == "/: a payload is an object, got null");
    REQUIRE(check("") == "/: not JSON at byte 0: it ends where a value should be");
}

TEST_CASE("what is not JSON is refused with the place", "[event]")
{
    REQUIRE(check("{") == "/: not JSON at byte 1: expected a key in quotes");
    REQUIRE(check("{a:1}") == "/: not JSON at byte 1: expected a key in quotes");
    REQUIRE(check(R"({"a"})") == "/a: not JSON at byte 4: expected ':'");
    REQUIRE(check(R"({"a":})") == "/a: not JSON at byte 5: expected a value");
    REQUIRE(check(R"({"a":1,})") == "/: not JSON at byte 7: expected a key in quotes");
    REQUIRE(check(R"({"a":1 "b":2})") == "/: not JSON at byte 7: expected ',' or '}'");
    REQUIRE(check(R"({"a":[1,]})") == "/a/1: not JSON at byte 8: expected a value");
    REQUIRE(check(R"({"a":[1 2]})") == "/a/0: not JSON at byte 8: expected ',' or ']'");
    REQUIRE(check(R"({"a":[1}})") == "/a/0: not JSON at byte 7: expected ',' or ']'");
    REQUIRE(check("{} {}") == "/: not JSON at byte 3: expected nothing more");
    REQUIRE(check(R"({"a":nul})") == "/a: not JSON at byte 5: expected a value");
    REQUIRE(check(R"({"a":'b'})") == "/a: not JSON at byte 5: expected a value");
    REQUIRE(check("{}//") == "/: not JSON at byte 2: expected nothing more");
    REQUIRE(check("\xEF\xBB\xBF{}") == "/: not JSON at byte 0: expected a value");
}

TEST_CASE("numbers are those of JSON", "[event]")
{
    for (const auto* number : {"0", "-0", "10", "-1.5", "0.0", "1e1", "1E+1", "1e-1", "1.25e10"})
        REQUIRE(check_number(number) == "not refused");
    for (const auto* number : {"01", "+1", ".5", "1.", "-", "1e", "1e+", "1.e1", "0x1", "--1", "1a",
                               "-a", "NaN", "Infinity", "-Infinity", "1_000"})
        REQUIRE(check_number(number).starts_with("/a/0: not JSON at byte "));
}

TEST_CASE("numbers are those that Postgres holds as numeric", "[event]")
{
    const std::string refused = "/a/0: the number is out of the range of a Postgres numeric";

    REQUIRE(check_number("1e131071") == "not refused");
    REQUIRE(check_number("1e131072") == refused);
    REQUIRE(check_number("12e131071") == refused);
    REQUIRE(check_number("0.1e131072") == "not refused");
    REQUIRE(check_number("0.001e131074") == "not refused");
    REQUIRE(check_number("0.001e131075") == refused);
    REQUIRE(check_number("-1e131072") == refused);
    REQUIRE(check_number("1e-16383") == "not refused");
    REQUIRE(check_number("1e-16384") == refused);
    REQUIRE(check_number("1.5e-16383") == refused);
    REQUIRE(check_number("1e99999999999999999999") == refused);
    REQUIRE(check_number("1e-99999999999999999999") == refused);
    REQUIRE(check_number("0e999999") == "not refused");
    REQUIRE(check_number("0e-16384") == refused);
    REQUIRE(check_number("0e9999999999") == refused);
}

TEST_CASE("numbers that Postgres would write out without end are refused", "[event]")
{
    REQUIRE(check_number("1e100000,1e100000") == "not refused");
    REQUIRE(check_number("1e100000,1e100000,1e100000") ==
            "/a/2: here the numbers, as Postgres writes them, grow past 262144 bytes: "
            "write them shorter");
}

TEST_CASE("a key twice in one object is refused, at any depth", "[event]")
{
    REQUIRE(check(R"({"a":1,"b":2,"a":3})") == "/a: the key is there twice");
    REQUIRE(check(R"({"x":[{"a":1,"\u0061":3}]})") == "/x/0/a: the key is there twice");
    REQUIRE(check(R"({"x":{"a/b":1,"a/b":3}})") == "/x/a~1b: the key is there twice");
}

TEST_CASE("ten thousand keys are looked at in no time", "[event]")
{
    std::string json = "{";
    for (int i = 0; i < 10'000; ++i)
        json += '"' + std::to_string(i) + "\":0,";

    REQUIRE(check(json + R"("x":0})") == "not refused");
    REQUIRE(check(json + R"("7":0})") == "/7: the key is there twice");
}
