#include <cuebox/alerts/attempt.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::alerts;
using namespace std::chrono_literals;

namespace {

// "delivered", "retry 1000ms" or "drop refused".
std::string decided(attempt last, int made, delivery_rules rules = {})
{
    const auto next = decide(last, made, rules, 0);
    if (const auto* wait = std::get_if<retry_in>(&next))
        return "retry " + std::to_string(wait->delay / 1ms) + "ms";
    if (const auto* end = std::get_if<give_up>(&next))
        return "drop " + std::string(to_string(end->why));
    return "delivered";
}

attempt answered(unsigned status, std::optional<duration> retry_after = {})
{
    return {.status = status, .retry_after = retry_after, .failure = {}};
}

}

TEST_CASE("what follows an attempt depends on the answer", "[alerts]")
{
    for (const unsigned status : {200u, 201u, 202u, 204u})
        CHECK(decided(answered(status), 1) == "delivered");
    for (const unsigned status : {301u, 307u, 400u, 401u, 403u, 404u, 413u})
        CHECK(decided(answered(status), 1) == "drop refused");
    for (const unsigned status : {408u, 425u, 429u, 500u, 502u, 503u, 599u})
        CHECK(decided(answered(status), 1) == "retry 500ms");
    CHECK(decided({.failure = "connection refused"}, 1) == "retry 500ms");
}

TEST_CASE("the wait doubles from attempt to attempt, and they are counted", "[alerts]")
{
    CHECK(decided(answered(500), 1) == "retry 500ms");
    CHECK(decided(answered(500), 2) == "retry 1000ms");
    CHECK(decided(answered(500), 3) == "retry 2000ms");
    CHECK(decided(answered(500), 4) == "drop exhausted");
    CHECK(decided(answered(500), 1, {.attempts_max = 1}) == "drop exhausted");
    CHECK(decided(answered(500), 20, {.attempts_max = 99}) == "retry 15000ms");
}

TEST_CASE("Retry-After is heeded, within bounds", "[alerts]")
{
    CHECK(decided(answered(429, 7s), 1) == "retry 7000ms");
    CHECK(decided(answered(429, 0s), 1) == "retry 500ms");
    CHECK(decided(answered(503, 24h), 1) == "retry 300000ms");
    CHECK(decided(answered(429, 7s), 4) == "drop exhausted");
    CHECK(decided(answered(404, 7s), 1) == "drop refused");
}

TEST_CASE("Retry-After is seconds or a date", "[alerts]")
{
    const auto now = event::parse_timestamp("1994-11-06T08:49:00Z").value();
    const auto parsed = [&](std::string_view text) { return parse_retry_after(text, now); };

    CHECK(parsed("120") == 120s);
    CHECK(parsed("0") == 0s);
    CHECK(parsed("Sun, 06 Nov 1994 08:49:37 GMT") == 37s);
    CHECK(parsed("Sun, 06 Nov 1994 08:00:00 GMT") == 0s);
    CHECK(parsed("Fri, 31 Dec 9999 23:59:59 GMT") == 24h * 365);
    for (const char* text : {"", "soon", "-1", "1.5", "99999999999",
                             "Sun, 06 Nxv 1994 08:49:37 GMT", "Sun, 06 anF 1994 08:49:37 GMT",
                             "Sun, 99 Nov 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49:37 EST"})
        CHECK_FALSE(parsed(text));
}
