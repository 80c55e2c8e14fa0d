#include <cuebox/policy/novelty.hpp>

#include <catch2/catch_test_macros.hpp>

using cuebox::policy::novelty;

TEST_CASE("keys are taken for new until one was not, and then for a while no longer", "[policy]")
{
    novelty keys;
    CHECK(keys.likely());
    keys.learn(false);
    CHECK(keys.likely());

    keys.learn(true);
    for (int call = 0; call < novelty::wary_for; ++call)
        CHECK_FALSE(keys.likely());
    CHECK(keys.likely());
}

TEST_CASE("who goes on meeting duplicates stays wary", "[policy]")
{
    novelty keys;
    keys.learn(true);
    for (int call = 1; call < novelty::wary_for; ++call)
        CHECK_FALSE(keys.likely());
    keys.learn(true);
    for (int call = 0; call < novelty::wary_for; ++call)
        CHECK_FALSE(keys.likely());
}
