#include <cuebox/http/header.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::http;

TEST_CASE("a header that could begin another is none", "[http]")
{
    CHECK(is_header_name("X-Api-Key"));
    for (const char* name : {"", "X Y", "X:", "X\r\n", "\xc3\xa9"})
        CHECK_FALSE(is_header_name(name));

    CHECK(is_header_value("Bearer a\tb \xc3\xa9"));
    CHECK(is_header_value(""));
    for (const char* value : {"a\r\nX: b", "a\nb", "\x7f", "\x01"})
        CHECK_FALSE(is_header_value(value));
}

TEST_CASE("a header is found whatever its case", "[http]")
{
    const headers some{{"Retry-After", "7"}, {"retry-after", "8"}};

    CHECK(find_header(some, "RETRY-AFTER") == "7");
    CHECK(find_header(some, "Retry").empty());
}
