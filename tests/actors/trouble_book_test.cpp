#include <cuebox/actors/trouble.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::actors;
using namespace std::chrono_literals;

TEST_CASE("trouble that lasts is said at once, then every half minute with how often it was so")
{
    trouble_book book;
    const time_point start{1h};

    CHECK(book.note("settler", "gone", start) == 1U);
    for (int second = 1; second < 30; ++second)
        CHECK(!book.note("settler", "gone", start + std::chrono::seconds(second)));
    CHECK(book.note("settler", "gone", start + 30s) == 30U);
}

TEST_CASE("trouble of one actor does not silence another's")
{
    trouble_book book;
    const time_point start{1h};
    (void)book.note("settler", "gone", start);

    CHECK(book.note("reaper", "gone", start + 1s) == 1U);
}

TEST_CASE("another trouble of the same actor is said at once")
{
    trouble_book book;
    const time_point start{1h};
    (void)book.note("settler", "gone", start);

    CHECK(book.note("settler", "denied", start + 1s) == 1U);
    CHECK(!book.note("settler", "gone", start + 2s));
}
