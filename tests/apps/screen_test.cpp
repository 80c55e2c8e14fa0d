#include "apps/cuebox/status_screen.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cuebox;
using namespace cuebox::cli;
using namespace std::chrono_literals;

namespace {

operations::status busy()
{
    operations::status seen;
    seen.counting = {.counted = true, .age_seconds = 12, .took_seconds = 0.05};
    seen.totals.pending = 1234;
    seen.warnings.assign(20, {.code = "unrouted", .sentence = std::string(300, 'w') + " end"});
    seen.backlog.assign(50, {.generation = 7, .status = "pending", .event_type = "order.placed"});
    seen.listeners.assign(50, {.id = "billing@host", .generation = 7, .listening = true});
    seen.generations.assign(50, {.generation = 7, .label = "v1", .status = "active"});
    return seen;
}

bool any(const report_lines& lines, std::string_view part)
{
    return std::ranges::any_of(
        lines, [part](const std::string& each) { return each.find(part) != each.npos; });
}

}

TEST_CASE("a text is cut to the columns there are, colours and letters whole", "[cuebox]")
{
    CHECK(columns_of("caf\xc3\xa9") == 4);
    CHECK(columns_of(paint("31", "red")) == 3);
    CHECK(fit("abcd", 4) == "abcd");
    CHECK(fit("abcde", 4) == "abc~");
    CHECK(fit("\xc3\xa9\xc3\xa9\xc3\xa9", 2) == "\xc3\xa9~");
    CHECK(columns_of(fit(paint("31", "abcdef"), 4)) == 4);
    CHECK(fit(paint("31", "abcdef"), 4).ends_with("\033[0m"));
}

TEST_CASE("a chart has the last values, the highest at full height", "[cuebox]")
{
    CHECK(spark({}, 4, false) == "    ");
    CHECK(spark({0, 4, 8}, 4, false) == " :# ");
    CHECK(spark({9, 9, 9, 0, 8}, 2, false) == " #");
    CHECK(spark({1, 1}, 2, false, 1) == "##");
}

TEST_CASE("a frame fills the screen exactly, whatever its size", "[cuebox]")
{
    status_frame frame;
    const auto look = [](std::size_t rows, std::size_t columns) {
        return status_frame::look{.size = {.rows = rows, .columns = columns},
                                  .colours = true,
                                  .unicode = true,
                                  .interval = 2s};
    };
    CHECK(frame.lines(look(24, 80)).size() == 24); // Nothing was read yet.
    frame.add(busy());

    for (const std::size_t rows : {1, 2, 5, 10, 24, 40, 200})
        for (const std::size_t columns : {1, 10, 41, 43, 80, 120, 300}) {
            CAPTURE(rows, columns);
            const auto lines = frame.lines(look(rows, columns));
            CHECK(lines.size() == rows);
            CHECK(std::ranges::all_of(
                lines, [&](const std::string& each) { return columns_of(each) <= columns; }));
        }
    const auto usual = frame.lines(look(24, 80));
    CHECK(any(usual, "1,234 pending"));
    CHECK(any(usual, "counted 12 s ago, in 50 ms"));
    CHECK(any(usual, "20 warnings in all"));
    CHECK(any(usual, "order.placed"));
    CHECK(any(usual, "billing@host"));
}

TEST_CASE("a frame says that the connection is lost, and keeps what was known", "[cuebox]")
{
    status_frame frame;
    const status_frame::look look{.size = {.rows = 24, .columns = 80}, .interval = 2s};
    frame.add(busy());

    frame.lose("the server is away");
    CHECK(any(frame.lines(look), "the connection is lost, trying again: the server is away"));
    CHECK(any(frame.lines(look), "1,234 pending"));

    frame.add(busy());
    CHECK_FALSE(any(frame.lines(look), "the connection is lost"));
}
