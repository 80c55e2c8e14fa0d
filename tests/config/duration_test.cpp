#include <cuebox/config/duration.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::config;
using namespace std::chrono_literals;

TEST_CASE("a duration is a number and its unit", "[config]")
{
    REQUIRE(parse_duration("100ns") == 100ns);
    REQUIRE(parse_duration("10us") == 10us);
    REQUIRE(parse_duration("250ms") == 250ms);
    REQUIRE(parse_duration("5s") == 5s);
    REQUIRE(parse_duration("2m") == 2min);
    REQUIRE(parse_duration("1h") == 1h);
    REQUIRE(parse_duration("45d") == 1080h);
    REQUIRE(parse_duration("0.5d") == 12h);
    REQUIRE(parse_duration("0s") == 0s);
}

TEST_CASE("a fraction is exact", "[config]")
{
    REQUIRE(parse_duration("1.5s") == 1500ms);
    REQUIRE(parse_duration("0.1s") == 100ms);
    REQUIRE(parse_duration("1.25h") == 75min);
    REQUIRE(parse_duration("0.000000001s") == 1ns);
    REQUIRE(parse_duration("1.50000000000000000000s") == 1500ms);
}

TEST_CASE("what is not a duration is none", "[config]")
{
    for (const auto* text : {"", "5", "s", ".5s", "5.s", "5 s", " 5s", "5s ", "5S", "5sec", "-5s",
                             "+5s", "1e3s", "1m30s", "1.2.3s", "0.5ns", "0.0000000001s"})
        CHECK_FALSE(parse_duration(text));
}

TEST_CASE("a duration beyond 292 years is none", "[config]")
{
    REQUIRE(parse_duration("9223372036854775807ns") == std::chrono::nanoseconds::max());
    REQUIRE(parse_duration("9223372036.854775807s") == std::chrono::nanoseconds::max());
    REQUIRE_FALSE(parse_duration("9223372036854775808ns"));
    REQUIRE_FALSE(parse_duration("9223372036.854775808s"));
    REQUIRE_FALSE(parse_duration("2562048h"));
    REQUIRE_FALSE(parse_duration("106752d"));
    REQUIRE_FALSE(parse_duration("99999999999999999999999999s"));
}

TEST_CASE("a duration is printed in the largest unit that keeps it whole", "[config]")
{
    REQUIRE(print_duration(0s) == "0s");
    REQUIRE(print_duration(1500ms) == "1500ms");
    REQUIRE(print_duration(90s) == "90s");
    REQUIRE(print_duration(120s) == "2m");
    REQUIRE(print_duration(25h) == "25h");
    REQUIRE(print_duration(24h) == "1d");
    REQUIRE(print_duration(1us) == "1us");
}

TEST_CASE("a printed duration reads back as itself", "[config]")
{
    for (const auto duration :
         {0ns, 1ns, 1001ns, 59'000'000'000ns, std::chrono::nanoseconds::max()})
        CHECK(parse_duration(print_duration(duration)) == duration);
}
