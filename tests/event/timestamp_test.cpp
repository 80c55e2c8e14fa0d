#include <cuebox/event/timestamp.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace cuebox::event;
using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::year;

namespace {

std::string canonical(std::string_view text)
{
    const auto time = parse_timestamp(text);
    return time ? print_timestamp(*time).value() : "none";
}

}

TEST_CASE("a time is printed in UTC with microseconds", "[event]")
{
    REQUIRE(print_timestamp(timestamp{}) == "1970-01-01T00:00:00.000000Z");
    REQUIRE(print_timestamp(timestamp{-1us}) == "1969-12-31T23:59:59.999999Z");
    REQUIRE(print_timestamp(sys_days{year{2026} / 11 / 16} + 3h + 44min + 5s + 123456us) ==
            "2026-11-16T03:44:05.123456Z");
}

TEST_CASE("a time is read with an offset, and with no or some digits of a second", "[event]")
{
    struct row
    {
        std::string_view text;
        std::string_view expected;
    };
    const row table[] = {
        {"2026-11-16T03:44:05.123456Z", "2026-11-16T03:44:05.123456Z"},
        {"2026-11-16T03:44:05Z", "2026-11-16T03:44:05.000000Z"},
        {"2026-11-16t03:44:05z", "2026-11-16T03:44:05.000000Z"},
        {"2026-11-16T03:44:05.1Z", "2026-11-16T03:44:05.100000Z"},
        {"2026-11-16T03:44:05.000001Z", "2026-11-16T03:44:05.000001Z"},
        {"2026-11-16T03:44:05.123456789Z", "2026-11-16T03:44:05.123456Z"},
        {"2026-11-16T03:44:05+02:00", "2026-11-16T01:44:05.000000Z"},
        {"2026-11-16T03:44:05.5-23:59", "2026-11-17T03:43:05.500000Z"},
        {"2026-11-16T03:44:05-00:00", "2026-11-16T03:44:05.000000Z"},
        {"2024-02-29T23:59:59.999999Z", "2024-02-29T23:59:59.999999Z"},
        {"2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000Z"},
        {"0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000000Z"},
        {"9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.999999Z"},
        {"1969-07-20T20:17:40Z", "1969-07-20T20:17:40.000000Z"},
    };
    for (const auto& each : table)
        REQUIRE(canonical(each.text) == each.expected);
}

TEST_CASE("what is not a moment in RFC 3339 is none", "[event]")
{
    for (const auto* text : {"",
                             "2026-11-16",
                             "2026-11-16T03:44:05",
                             "2026-11-16 03:44:05Z",
                             "2026-11-16T03:44Z",
                             "2026-11-16T03:44:05.Z",
                             "2026-11-16T03:44:05,5Z",
                             "2026-11-16T03:44:05.1234567890Z",
                             "2026-11-16T03:44:05Z ",
                             " 2026-11-16T03:44:05Z",
                             "2026-11-16T03:44:05ZZ",
                             "2026-11-16T24:00:00Z",
                             "2026-11-16T03:60:00Z",
                             "2016-12-31T23:59:60Z",
                             "2026-13-01T00:00:00Z",
                             "2026-00-01T00:00:00Z",
                             "2026-01-00T00:00:00Z",
                             "2026-01-32T00:00:00Z",
                             "2026-04-31T00:00:00Z",
                             "2026-02-29T00:00:00Z",
                             "1900-02-29T00:00:00Z",
                             "2026-11-16T03:44:05+24:00",
                             "2026-11-16T03:44:05+02:60",
                             "2026-11-16T03:44:05+0200",
                             "2026-11-16T03:44:05+02",
                             "+026-11-16T03:44:05Z",
                             "-026-11-16T03:44:05Z",
                             "12026-11-16T03:44:05Z",
                             "0000-01-01T00:00:00Z",
                             "0001-01-01T00:00:00+00:01",
                             "9999-12-31T23:59:59-00:01",
                             "2026-1-16T03:44:05Z"})
        REQUIRE(canonical(text) == "none");
}

TEST_CASE("a time that four digits of a year cannot name is not printed", "[event]")
{
    REQUIRE_FALSE(print_timestamp(sys_days{year{10000} / 1 / 1}));
    REQUIRE_FALSE(print_timestamp(sys_days{year{1} / 1 / 1} - 1us));
    REQUIRE_FALSE(print_timestamp(timestamp::min()));
    REQUIRE_FALSE(print_timestamp(timestamp::max()));
}
