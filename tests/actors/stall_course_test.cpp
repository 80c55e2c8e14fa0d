#include <cuebox/actors/stall_watch.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors;
using namespace std::chrono_literals;

TEST_CASE("a stall is said at once, and then each time it has lasted twice as long", "[actors]")
{
    stall_course course(1h);
    std::vector<duration> said;

    for (duration lasted = 1s; lasted <= 20s; lasted += 500ms)
        if (course.at(lasted).say)
            said.push_back(lasted);

    CHECK(said == std::vector<duration>{1s, 2s, 4s, 8s, 16s});
}

TEST_CASE("a worker that stands still is vouched for until a lease is over", "[actors]")
{
    struct row
    {
        duration lease;
        std::vector<duration> vouched;
    };
    const row table[] = {
        {300s, {1s, 6s, 11s, 16s}}, // every five seconds
        {6s, {1s, 3s, 5s}},         // three times a lease
        {1500ms, {1s, 1500ms}},     // it is over soon
        {500ms, {}},                // over before it was noticed
    };

    for (const row& each : table) {
        stall_course course(each.lease);
        std::vector<duration> vouched;
        for (duration lasted = 1s; lasted <= 20s; lasted += 500ms)
            if (course.at(lasted).vouch)
                vouched.push_back(lasted);
        CHECK(vouched == each.vouched);
    }
}
