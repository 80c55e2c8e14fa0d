#include <cuebox/pg/connect_plan.hpp>

#include <catch2/catch_test_macros.hpp>

using cuebox::pg::detail::connect_plan;
using namespace std::chrono_literals;

namespace {

constexpr connect_plan::time_point start{};

}

TEST_CASE("one host gets its own deadline, and no more than what there is in all", "[pg]")
{
    connect_plan patient({"a:1"}, "any", start + 10s, 3s);
    connect_plan hasty({"a:1"}, "any", start + 2s, 3s);

    REQUIRE(patient.next(start)->until == start + 3s);
    REQUIRE(hasty.next(start)->until == start + 2s);
}

TEST_CASE("a silent first host leaves the others their share of the time", "[pg]")
{
    connect_plan plan({"a:1", "b:2", "c:3"}, "any", start + 6s, 5s);

    const auto first = plan.next(start);
    plan.failed("no answer in time");
    const auto second = plan.next(first->until);
    plan.failed("no answer in time");
    const auto third = plan.next(second->until);

    REQUIRE(first->until == start + 2s);
    REQUIRE(second->until == start + 4s);
    REQUIRE(third->until == start + 6s);
    REQUIRE(third->to->name == "c:3");
    REQUIRE(third->to->target == 2);
}

TEST_CASE("what a host refused at once leaves over goes to the others", "[pg]")
{
    connect_plan plan({"a:1", "b:2"}, "any", start + 6s, 5s);

    plan.next(start);
    plan.failed("Connection refused");
    const auto second = plan.next(start + 1s);

    REQUIRE(second->until == start + 6s);
}

TEST_CASE("when all have been tried or the time is up there is no next", "[pg]")
{
    connect_plan tried({"a:1"}, "any", start + 6s, 5s);
    connect_plan late({"a:1", "b:2"}, "any", start + 6s, 5s);
    connect_plan none({}, "any", start + 6s, 5s);

    REQUIRE(tried.next(start));
    REQUIRE_FALSE(tried.next(start));
    REQUIRE(late.next(start));
    REQUIRE_FALSE(late.next(start + 6s));
    REQUIRE_FALSE(none.next(start));
}

TEST_CASE("prefer-standby is a round of standbys and then a round of any", "[pg]")
{
    connect_plan plan({"a:1", "b:2"}, "prefer-standby", start + 8s, 5s);

    std::string story;
    while (const auto attempt = plan.next(start)) {
        story += attempt->to->name + " " + attempt->to->session + ", ";
        plan.failed("server is not in hot standby mode");
    }

    REQUIRE(story == "a:1 standby, b:2 standby, a:1 any, b:2 any, ");
}

TEST_CASE("other sessions are asked for as they are", "[pg]")
{
    connect_plan plan({"a:1"}, "read-write", start + 8s, 5s);

    REQUIRE(plan.next(start)->to->session == "read-write");
}

TEST_CASE("the account names every host and why it failed, alike ones once", "[pg]")
{
    connect_plan plan({"a:1", "b:2", "a:1"}, "any", start + 8s, 5s);

    for (const auto* why : {"Connection refused", "no answer in time", "Connection refused"}) {
        plan.next(start);
        plan.failed(why);
    }

    REQUIRE(plan.account() == "a:1: Connection refused; b:2: no answer in time");
}

TEST_CASE("an account without any attempt says that the time was up", "[pg]")
{
    connect_plan plan({"a:1"}, "any", start, 5s);

    REQUIRE_FALSE(plan.next(start));
    REQUIRE(plan.account() == "the time was up before any host was tried");
}
