#include <cuebox/event/printable.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::event;

TEST_CASE("what a terminal would obey, or not show, is printed as an escape", "[event]")
{
    CHECK(
        printable("order.placed, caf\u00e9, \u05e9\u05dc\u05d5\u05dd, \u6ce8\u6587, \U0001f4e6") ==
        "order.placed, caf\u00e9, \u05e9\u05dc\u05d5\u05dd, \u6ce8\u6587, \U0001f4e6");
    CHECK(printable("a\033[2Jb\nc\td\re\x7f") == R"(a\x1b[2Jb\nc\td\re\x7f)");
    CHECK(printable("\xc2\x9b"
                    "1m") == R"(\u009b1m)"); // The second set of control characters.
    CHECK(printable(std::string_view("\0", 1)) == R"(\x00)");
    CHECK(printable("a\u202eb\u202a\u2066\u2069\u200e\u200f\u061c") ==
          R"(a\u202eb\u202a\u2066\u2069\u200e\u200f\u061c)");
    CHECK(printable("\ufeff\u200b\u2060\u00ad\u2028\U000e0041") ==
          R"(\ufeff\u200b\u2060\u00ad\u2028\U000e0041)");
    CHECK(printable("\xff \xc3 \xe2\x80") == R"(\xff \xc3 \xe2\x80)");
    CHECK(printable(R"({"a": "\u202e"})") == R"({"a": "\u202e"})");
}

TEST_CASE("lines of an error stay lines, whatever else is in them", "[event]")
{
    CHECK(printable_lines("a\nb\033[1m\n") == "a\nb\\x1b[1m\n");
    CHECK(printable_lines("").empty());
}
