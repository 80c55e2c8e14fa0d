#include <cuebox/alerts/dsn.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::alerts;

namespace {

std::string refusal(std::string_view text, bool allow_plain_http = false)
{
    try {
        parse_dsn(text, allow_plain_http);
    }
    catch (const dsn_error& refused) {
        return refused.what();
    }
    return "not refused";
}

}

TEST_CASE("a DSN is a key, a host and a project", "[alerts]")
{
    struct row
    {
        const char* text;
        const char* key;
        const char* authority;
        const char* target;
    };
    const row table[] = {
        {"https://abc@o1.ingest.sentry.io/42", "abc", "o1.ingest.sentry.io", "/api/42/envelope/"},
        {"https://abc@sentry.example:9000/42", "abc", "sentry.example:9000", "/api/42/envelope/"},
        {"https://abc@sentry.example/a/b/42", "abc", "sentry.example", "/a/b/api/42/envelope/"},
        {"https://abc@sentry.example/42/", "abc", "sentry.example", "/api/42/envelope/"},
        {"https://abc:old@sentry.example/42", "abc", "sentry.example", "/api/42/envelope/"},
        {"http://abc@127.0.0.1:8000/42", "abc", "127.0.0.1:8000", "/api/42/envelope/"},
        {"http://abc@[::1]:8000/42", "abc", "[::1]:8000", "/api/42/envelope/"},
    };

    for (const row& each : table) {
        INFO(each.text);
        const dsn found = parse_dsn(each.text);
        CHECK(found.key == each.key);
        CHECK(found.envelopes.authority() == each.authority);
        CHECK(found.envelopes.target == each.target);
        CHECK(parse_dsn(found.print()).print() == found.print());
    }
}

TEST_CASE("what is no DSN is refused, and nothing of it repeated", "[alerts]")
{
    for (const char* text :
         {"", "swordfish", "https://sentry.example/42", "https://@sentry.example/42",
          "https://swordfish@sentry.example", "https://swordfish@sentry.example/",
          "https://swordfish@/42", "ftp://swordfish@sentry.example/42",
          "https://sword fish@sentry.example/42", "https://swordfish\r\n@sentry.example/42",
          "https://swordfish@sentry.example/4 2", "https://swordfish@sentry.example/42?a=b",
          "https://swordfish@sentry.example/../x.y", "https://a@swordfish@sentry.example/42",
          "https://swordfish@sentry.example:99999/42"})
    {
        INFO(text);
        const std::string why = refusal(text);
        CHECK(why.find("expected https://KEY@host/PROJECT") != std::string::npos);
        CHECK(why.find("sword") == std::string::npos);
    }
}

TEST_CASE("alerts travel in the open only to this machine, or when that is meant", "[alerts]")
{
    const char* open = "http://swordfish@sentry.example/42";

    CHECK(refusal(open) == "is not https: alerts would travel in the open; set allow_plain_http "
                           "if that is meant");
    CHECK(refusal(open, true) == "not refused");
    CHECK(refusal("http://swordfish@localhost/42") == "not refused");
}

TEST_CASE("a DSN describes itself without its key", "[alerts]")
{
    const dsn found = parse_dsn("https://swordfish@sentry.example/a/42");

    CHECK(found.describe() == "https://sentry.example/a/42");
    CHECK(found.print() == "https://swordfish@sentry.example/a/42");
}
