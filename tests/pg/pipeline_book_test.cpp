#include <cuebox/pg/flush_step.hpp>
#include <cuebox/pg/pipeline.hpp>
#include <cuebox/pg/pipeline_book.hpp>

#include <catch2/catch_test_macros.hpp>

#include <initializer_list>
#include <string>

using namespace cuebox::pg::detail;
using kind = pipeline_book::kind;

namespace {

// What a book makes of answers: "p0" the preparing of the first command, "x1" the running of the
// second, "s1" the end of the segment after it, "-" a separator, "!" confusion.
std::string story(pipeline_book& book, std::initializer_list<answer> answers)
{
    std::string told;
    for (const answer each : answers) {
        const auto entry = book.on(each);
        const char* letters = "pxs";
        told += book.confused() ? "!"
                : !entry        ? "-"
                         : letters[static_cast<int>(entry->what)] + std::to_string(entry->command);
        told += " ";
    }
    return told;
}

constexpr auto ok = answer::success;
constexpr auto bad = answer::failure;
constexpr auto skipped = answer::aborted;
constexpr auto end = answer::sync;
constexpr auto gap = answer::separator;

}

TEST_CASE("one statement is prepared, run, and ends its segment", "[pg]")
{
    pipeline_book book;
    book.sent(kind::prepare, 0);
    book.sent(kind::execute, 0);
    book.sent(kind::sync, 0);

    REQUIRE(story(book, {ok, gap, ok, gap, end}) == "p0 - x0 - s0 ");
    REQUIRE(book.done());
    REQUIRE_FALSE(book.confused());
}

TEST_CASE("the second statement fails; the third is skipped; the next segment runs", "[pg]")
{
    pipeline_book book;
    for (const std::size_t each : {0U, 1U, 2U})
        book.sent(kind::execute, each);
    book.sent(kind::sync, 2);
    book.sent(kind::execute, 3);
    book.sent(kind::sync, 3);

    REQUIRE(story(book, {ok, gap, bad, gap, skipped, gap, end, ok, gap, end}) ==
            "x0 - x1 - x2 - s2 x3 - s3 ");
    REQUIRE(book.done());
}

TEST_CASE("preparing fails; what was to run it is skipped", "[pg]")
{
    pipeline_book book;
    book.sent(kind::prepare, 0);
    book.sent(kind::execute, 0);
    book.sent(kind::sync, 0);

    REQUIRE(story(book, {bad, gap, skipped, gap, end}) == "p0 - x0 - s0 ");
    REQUIRE(book.done());
}

TEST_CASE("a book is done only when the last segment has ended", "[pg]")
{
    pipeline_book book;
    REQUIRE(book.done());
    book.sent(kind::execute, 0);
    book.sent(kind::sync, 0);

    story(book, {ok, gap});
    REQUIRE_FALSE(book.done());
    story(book, {end});
    REQUIRE(book.done());
}

TEST_CASE("answers that cannot come now are noticed", "[pg]")
{
    const auto after = [](std::initializer_list<answer> answers) {
        pipeline_book book;
        book.sent(kind::execute, 0);
        book.sent(kind::execute, 1);
        book.sent(kind::sync, 1);
        return story(book, answers);
    };

    CHECK(after({end}) == "! ");
    CHECK(after({gap}) == "! ");
    CHECK(after({ok, ok}) == "x0 ! ");
    CHECK(after({ok, gap, gap}) == "x0 - ! ");
    CHECK(after({ok, gap, ok, gap, ok}) == "x0 - x1 - ! ");
    CHECK(after({ok, gap, ok, gap, end, ok}) == "x0 - x1 - s1 ! ");
}

TEST_CASE("a pipeline ends its segments where it was told, if it has anything to end", "[pg]")
{
    cuebox::pg::pipeline batch;
    batch.end_segment();
    REQUIRE(batch.empty());

    REQUIRE(batch.add({.name = "a", .sql = "select $1"}, 1) == 0);
    batch.end_segment();
    batch.end_segment();
    REQUIRE(batch.add({.name = "b", .sql = "select $1, $2"}, 1, "x") == 1);
    REQUIRE(batch.size() == 2);

    const auto commands = std::move(batch).take();
    REQUIRE(commands[0].sync);
    REQUIRE_FALSE(commands[1].sync);
    REQUIRE(commands[1].params.size() == 2);
}

TEST_CASE("what cannot be sent waits for both directions, or both ends would wait", "[pg]")
{
    REQUIRE_FALSE(after_flush(0));
    REQUIRE_FALSE(after_flush(-1));
    REQUIRE(after_flush(1) == interest::read_or_write);
}
