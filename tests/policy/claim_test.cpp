#include <cuebox/policy/claim_cursor.hpp>
#include <cuebox/policy/claim_size.hpp>
#include <cuebox/policy/failure.hpp>
#include <cuebox/policy/reconnect.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::policy;
using namespace std::chrono_literals;

namespace {

cuebox::event::timestamp at(int seconds)
{
    return cuebox::event::timestamp(std::chrono::seconds(1'000 + seconds));
}

}

TEST_CASE("a claim grows while its rows are handled fast and there are more", "[policy]")
{
    claim_size size({.batch_min = 10, .batch_max = 100, .batch_time = 250ms});

    for (const std::size_t expected : {10U, 20U, 40U, 80U, 100U, 100U}) {
        CHECK(size.now() == expected);
        size.claimed(size.now(), size.now());
        size.handled(size.now(), 1ms);
    }
    size.claimed(100, 3);
    CHECK(size.now() == 50);
}

TEST_CASE("a claim does not grow when its rows take long, and shrinks below its start", "[policy]")
{
    claim_size size({.batch_min = 10, .batch_max = 100, .batch_time = 250ms});

    size.claimed(10, 10);
    size.handled(10, 2s);
    CHECK(size.now() == 5);
    size.claimed(5, 1);
    CHECK(size.now() == 10);
}

TEST_CASE("a claim that was small for want of room grows all the same", "[policy]")
{
    claim_size size({.batch_min = 10, .batch_max = 100, .batch_time = 250ms});

    size.claimed(4, 4);
    size.handled(4, 1ms);

    CHECK(size.now() == 20);
}

TEST_CASE("the first claim is a full one, and what came back full goes on from there", "[policy]")
{
    claim_cursor cursor;
    const auto first = cursor.next(0s);
    cursor.asked(first);

    cursor.claimed(first, {.asked = 10, .got = 10, .ordinary = at(5), .took = 1ms}, 0s);

    CHECK(first.full);
    CHECK(cursor.next(1s) == claim_bounds{at(5), cuebox::event::timestamp::min(), false});
}

TEST_CASE("a look everywhere that is called for while one is under way is another one", "[policy]")
{
    claim_cursor cursor;
    const auto first = cursor.next(0s);
    cursor.asked(first);
    cursor.look_everywhere();

    cursor.claimed(first, {.asked = 10, .got = 0, .took = 1ms}, 0s);

    CHECK(cursor.wants_full());
}

TEST_CASE("a quick claim that comes back short is followed by a full one", "[policy]")
{
    claim_cursor cursor;
    const auto first = cursor.next(0s);
    cursor.asked(first);
    cursor.claimed(first, {.asked = 10, .got = 10, .ordinary = at(5), .took = 1ms}, 0s);

    cursor.claimed(cursor.next(1s), {.asked = 10, .got = 2, .ordinary = at(6), .took = 1ms}, 1s);

    CHECK(cursor.next(1s).full);
}

TEST_CASE("while one looks everywhere the others go on from where they were", "[policy]")
{
    claim_cursor cursor;
    const auto first = cursor.next(0s);
    cursor.asked(first);
    cursor.claimed(first, {.asked = 10, .got = 10, .ordinary = at(5), .took = 1ms}, 0s);
    cursor.look_everywhere();
    const auto everywhere = cursor.next(1s);
    REQUIRE(everywhere.full);
    cursor.asked(everywhere);
    cursor.look_everywhere();

    const auto quick = cursor.next(2s);
    CHECK_FALSE(quick.full);
    cursor.claimed(quick, {.asked = 10, .got = 10, .ordinary = at(8), .took = 1ms}, 2s);
    // It found nothing that was left behind, and nobody goes back for it.
    cursor.claimed(everywhere, {.asked = 10, .got = 0, .took = 20ms}, 2s);
    // But for what is committed in another order than it was written in.
    CHECK(cursor.next(2s).from == at(8) - 20ms);
    CHECK(cursor.next(3s).full);
}

TEST_CASE("once it is quiet a claim goes back further, long before everything may be looked at",
          "[policy]")
{
    claim_cursor cursor;
    const auto first = cursor.next(0s);
    cursor.asked(first);
    cursor.claimed(first, {.asked = 10, .got = 2, .ordinary = at(5), .took = 100ms}, 0s);
    cursor.look_everywhere();
    REQUIRE(cursor.full_at() == 2s);

    CHECK_FALSE(cursor.next(9ms).deep);
    CHECK(cursor.next(9ms).from == at(5) - 20ms);
    // Whatever comes puts it off.
    cursor.claimed(cursor.next(9ms), {.asked = 10, .got = 1, .ordinary = at(6), .took = 1ms}, 9ms);
    CHECK_FALSE(cursor.next(18ms).deep);
    const auto deep = cursor.next(19ms);
    CHECK(deep == claim_bounds{at(6) - 250ms, cuebox::event::timestamp::min(), false, true});

    cursor.asked(deep);
    CHECK_FALSE(cursor.wants_deep());
    cursor.claimed(deep, {.asked = 10, .got = 0, .took = 5ms}, 20ms);
    CHECK_FALSE(cursor.wants_deep());
    cursor.look_everywhere();
    CHECK_FALSE(cursor.next(69ms).deep); // A tenth of the time.
    CHECK(cursor.next(70ms).deep);
    CHECK(cursor.next(2s).full);
    CHECK_FALSE(cursor.next(2s, false).full);
}

TEST_CASE("where a deep claim found as many as it asked for, claims go on from there", "[policy]")
{
    claim_cursor cursor;
    const auto first = cursor.next(0s);
    cursor.asked(first);
    cursor.claimed(first, {.asked = 10, .got = 2, .ordinary = at(5), .took = 1s}, 0s);
    cursor.look_everywhere();
    const auto deep = cursor.next(1s);
    REQUIRE(deep.deep);
    cursor.asked(deep);

    cursor.claimed(deep, {.asked = 10, .got = 10, .ordinary = at(5) - 200ms, .took = 1ms}, 1s);

    CHECK(cursor.next(1s).from == at(5) - 200ms);
}

TEST_CASE("no deep claim goes below the floor, or back from nowhere", "[policy]")
{
    claim_cursor cursor;
    const auto first = cursor.next(0s);
    cursor.asked(first);
    cursor.claimed(first, {.asked = 10, .got = 2, .ordinary = at(5), .took = 1s}, 0s);
    cursor.look_everywhere();
    cursor.set_floor(at(5) - 100ms);
    CHECK(cursor.next(1s).from == at(5) - 100ms);

    claim_cursor fresh;
    const auto nothing = fresh.next(0s);
    fresh.asked(nothing);
    fresh.claimed(nothing, {.asked = 10, .got = 0, .took = 1s}, 0s);
    fresh.look_everywhere();
    CHECK(fresh.next(1s).from == cuebox::event::timestamp::min());
}

TEST_CASE("where nothing has come yet, everything is new", "[policy]")
{
    claim_cursor cursor;
    const auto first = cursor.next(0s);
    cursor.asked(first);
    cursor.claimed(first, {.asked = 10, .got = 0, .took = 1ms}, 0s);

    CHECK(cursor.next(0s) ==
          claim_bounds{cuebox::event::timestamp::min(), cuebox::event::timestamp::min(), false});
    cursor.set_floor(at(5));
    CHECK(cursor.next(0s).from == at(5));
}

TEST_CASE("a look everywhere that was not answered is made again", "[policy]")
{
    claim_cursor cursor;
    cursor.asked(cursor.next(0s));

    cursor.failed(1s);

    CHECK(cursor.next(1s).full);
}

TEST_CASE("a full claim that took long is not repeated at once", "[policy]")
{
    claim_cursor cursor;
    cursor.claimed(cursor.next(0s), {.asked = 10, .got = 3, .ordinary = at(5), .took = 300ms}, 0s);
    cursor.look_everywhere();

    CHECK_FALSE(cursor.next(1s).full);
    CHECK(cursor.full_at() == 6s);
    CHECK(cursor.next(6s).full);
}

TEST_CASE("a floor that goes back is a reason to look everywhere", "[policy]")
{
    claim_cursor cursor;
    cursor.set_floor(at(50));
    cursor.claimed(cursor.next(0s), {.asked = 10, .got = 0, .took = 1ms}, 0s);

    CHECK_FALSE(cursor.set_floor(at(60)));
    CHECK(cursor.set_floor(at(20)));
    CHECK(cursor.next(1s) == claim_bounds{at(20), cuebox::event::timestamp::min(), true});
}

TEST_CASE("reconnecting backs off to its cap, and past it the context polls", "[policy]")
{
    reconnect line({.base = 1s, .cap = 30s});

    for (const auto expected : {1s, 2s, 4s, 8s, 16s, 30s, 30s})
        CHECK(line.failed(100s, 0) == expected);
    CHECK_FALSE(line.polling(129s));
    CHECK(line.polling(130s));
    line.succeeded();
    CHECK_FALSE(line.polling(200s));
    CHECK(line.failed(300s, 0.5) == 900ms);
}

TEST_CASE("what the database refuses for good is terminal", "[policy]")
{
    CHECK(is_terminal_sqlstate("23505"));
    CHECK(is_terminal_sqlstate("22P02"));
    CHECK_FALSE(is_terminal_sqlstate("40P01"));
    CHECK_FALSE(is_terminal_sqlstate(""));
}

TEST_CASE("a long reason is cut between characters, and holds no NUL", "[policy]")
{
    std::string text = "a";
    for (int i = 0; i < 1'500; ++i)
        text += "é";

    const auto cut = shorten_reason(text);

    CHECK(cut.size() == 1'999 + 3);
    CHECK(cut.ends_with("é…"));
    CHECK(shorten_reason(std::string("a\0b", 3)) == "ab");
    CHECK(shorten_reason("a\xff\xc3\xa9\xc3") == "a\uFFFDé\uFFFD");
}
