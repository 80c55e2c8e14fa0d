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

TEST_CASE("failures of one cause are told by their class, or by what they say", "[alerts]")
{
    struct row
    {
        const char* error;
        const char* cause;
    };
    const row table[] = {
        {"no_such_address: Nowhere 14", "no_such_address"},
        {"worker died: billing@host:4711:ab12 ended while it handled this event", "worker died"},
        {"SQLSTATE 23505: duplicate key, in insert order", "SQLSTATE 23505"},
        {"HTTP 503: shop.example:8443 answered 503", "HTTP 503"},
        {"no order 12345: sh exited with 65", "no order #"},
        {"runtime_error: order 7 of \"Ada\" is gone", "runtime_error: order # of \"…\" is gone"},
        {"terminal_error: timed out after 30s", "terminal_error: timed out after #s"},
        {"runtime_error: no row 019358cc-6d2b-7cc1-9f8e-0123456789ab", "runtime_error: no row #"},
        {"runtime_error: first\nsecond", "runtime_error: first"},
        {"a defaced facade", "a defaced facade"},
        {"first\nsecond: third", "first"},
        {"one \" alone", "one \" alone"},
        {"", "unknown"},
    };

    for (const row& each : table)
        CHECK(cause_of(each.error) == each.cause);
    CHECK(cause_of("runtime_error: " + std::string(10'000, 'x')).size() <= 120);
}
