#include <cuebox/event/error.hpp>
#include <cuebox/event/limits.hpp>
#include <cuebox/event/printed_size.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace cuebox::event;

TEST_CASE("the printed size counts a blank after each comma and colon", "[event]")
{
    CHECK(printed_size(R"({"a":[1,2,3],"b":"x"})") ==
          std::string_view(R"({"a": [1, 2, 3], "b": "x"})").size());
    CHECK(printed_size("{}") == 2);
}

TEST_CASE("commas, colons and escaped quotes inside strings count as they are", "[event]")
{
    constexpr std::string_view text = R"({"a,:1e9":"\",:\\"})";
    CHECK(printed_size(text) == text.size() + 1);
}

TEST_CASE("a number in exponent form is counted as if it were written out", "[event]")
{
    CHECK(printed_size("1e300") >= 301);
    CHECK(printed_size("-1.5E-300") >= 304);
    CHECK(printed_size("1e+5") >= 6);
    CHECK(printed_size("[true,false]") == 13);
    CHECK(printed_size("1e99999999999999999999") > payload_max);
}

TEST_CASE("a text that Postgres would print too long is refused", "[event]")
{
    CHECK_NOTHROW(check_printed_size("{\"a\":\"" + std::string(payload_max - 9, 'x') + "\"}"));
    CHECK_THROWS_AS(check_printed_size("{\"a\":\"" + std::string(payload_max - 8, 'x') + "\"}"),
                    payload_error);
    CHECK_THROWS_AS(check_printed_size(R"({"a":[1e131071,1e131071]})"), payload_error);
}
