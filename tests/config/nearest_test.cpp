#include <cuebox/config/nearest.hpp>

#include <catch2/catch_test_macros.hpp>

#include <string>

using namespace cuebox::config;

namespace {

constexpr std::string_view names[] = {"restart", "name", "stop_deadline", "params", "a"};

}

TEST_CASE("a distance counts insertions, losses, replacements and swaps", "[config]")
{
    REQUIRE(edit_distance("restart", "restart") == 0);
    REQUIRE(edit_distance("restat", "restart") == 1);
    REQUIRE(edit_distance("resstart", "restart") == 1);
    REQUIRE(edit_distance("restert", "restart") == 1);
    REQUIRE(edit_distance("restrat", "restart") == 1);
    REQUIRE(edit_distance("kitten", "sitting") == 3);
    REQUIRE(edit_distance("", "abc") == 3);
    REQUIRE(edit_distance("abc", "") == 3);
}

TEST_CASE("case is no distance", "[config]")
{
    REQUIRE(edit_distance("ReStart", "restart") == 0);
}

TEST_CASE("a typo finds the name it meant", "[config]")
{
    REQUIRE(nearest_name("restrat", names) == "restart");
    REQUIRE(nearest_name("NAME", names) == "name");
    REQUIRE(nearest_name("stop-dedline", names) == "stop_deadline");
}

TEST_CASE("a name that resembles none finds none", "[config]")
{
    REQUIRE_FALSE(nearest_name("colour", names));
    REQUIRE_FALSE(nearest_name("b", names));
    REQUIRE_FALSE(nearest_name("", names));
    REQUIRE_FALSE(nearest_name("restart", {}));
    REQUIRE_FALSE(nearest_name(std::string(65, 'a'), names));
}

TEST_CASE("the nearer name wins, and the first of equals", "[config]")
{
    constexpr std::string_view close[] = {"batch_mux", "batch_max", "batch_mix"};

    REQUIRE(nearest_name("batch_maxx", close) == "batch_max");
    REQUIRE(nearest_name("batch_mox", close) == "batch_mux");
}
