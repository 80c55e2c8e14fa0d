#include <cuebox/policy/sharing.hpp>

#include <catch2/catch_test_macros.hpp>

using cuebox::policy::sharing;
using namespace std::chrono_literals;

TEST_CASE("who was found to listen alone looks for broadcasts again after a while", "[policy]")
{
    sharing events;
    CHECK(events.likely(10s));

    events.learn(false, 10s);

    CHECK_FALSE(events.likely(10s));
    CHECK_FALSE(events.likely(10s + sharing::believed_for - 1ns));
    CHECK(events.likely(10s + sharing::believed_for));
}

TEST_CASE("while others listen too, broadcasts are looked for with every claim", "[policy]")
{
    sharing events;

    events.learn(true, 10s);
    CHECK(events.likely(10s));
    CHECK(events.likely(1h));

    events.learn(false, 1h);
    CHECK_FALSE(events.likely(1h));
}
