#include "market.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <algorithm>

using namespace cuebox::schema::test;

TEST_CASE("whatever producers and claimers do, what was committed is delivered, once",
          "[schema][alone]")
{
    const auto seed = GENERATE(range(1U, 4U));
    CAPTURE(seed);
    market market{seed};

    for (int step = 0; step < 400; ++step)
        market.step();
    market.close();

    auto committed = market.committed();
    auto delivered = market.delivered();
    std::ranges::sort(committed);
    std::ranges::sort(delivered);
    CHECK(committed.size() > 100);
    CHECK(delivered == committed);
    CHECK(market.unsettled().empty());
}
