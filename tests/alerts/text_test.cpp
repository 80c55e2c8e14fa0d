#include <cuebox/alerts/text.hpp>
#include <cuebox/event/utf8.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::alerts;

TEST_CASE("whatever an exception had to say becomes text that JSON can hold", "[alerts]")
{
    using namespace std::string_literals;

    CHECK(clean("plain", 100) == "plain");
    CHECK(clean("caf\xc3\xa9", 100) == "caf\xc3\xa9");
    CHECK(clean("a\xff\xfe"s + "b", 100) == "a??b");
    CHECK(clean("a\0b"s, 100) == "a?b");
    CHECK(clean("cut \xe2\x82", 100) == "cut ??");
}

TEST_CASE("a text that is too long is cut between characters", "[alerts]")
{
    CHECK(clean("123456", 6) == "123456");
    CHECK(clean("1234567", 6) == "123…");
    for (std::size_t max = 3; max < 40; ++max) {
        const std::string cut = clean("ééé€€€𝄞𝄞𝄞 and so on and on", max);
        CHECK(cut.size() <= max);
        CHECK(cuebox::event::is_utf8(cut));
    }
}

TEST_CASE("failures of one cause are of one class", "[alerts]")
{
    struct row
    {
        const char* error;
        const char* its_class;
    };
    const row table[] = {
        {"order 7 of \"Ada\" is gone", "order # of \"…\" is gone"},
        {"order 12345 of \"Grace\" is gone", "order # of \"…\" is gone"},
        {"timed out after 30s", "timed out after #s"},
        {"no row 019358cc-6d2b-7cc1-9f8e-0123456789ab", "no row #"},
        {"shop.example:8443 answered 503", "shop.example:# answered #"},
        {"a defaced facade", "a defaced facade"},
        {"first\nsecond", "first"},
        {"one \" alone", "one \" alone"},
        {"", "unknown"},
    };

    for (const row& each : table)
        CHECK(error_class(each.error) == each.its_class);
    CHECK(error_class(std::string(10'000, 'x')).size() <= 120);
}
