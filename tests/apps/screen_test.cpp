#include "apps/cuebox/event_print.hpp"
#include "apps/cuebox/indent_json.hpp"
#include "apps/cuebox/progress.hpp"
#include "apps/cuebox/status_screen.hpp"
#include "apps/cuebox/table.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>
#include <cstdlib>
#include <sstream>

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

// Marks and charts are drawn in letters of Unicode meanwhile.
class unicode_terminal
{
public:
    unicode_terminal() { setenv("LC_ALL", "C.UTF-8", 1); }
    ~unicode_terminal() { unsetenv("LC_ALL"); }
    unicode_terminal(const unicode_terminal&) = delete;
    unicode_terminal& operator=(const unicode_terminal&) = delete;
};

bool any(const report_lines& lines, std::string_view part)
{
    return std::ranges::any_of(
        lines, [part](const std::string& each) { return each.find(part) != each.npos; });
}

}

TEST_CASE("a text is cut to the columns there are, colours and letters whole", "[cuebox]")
{
    const unicode_terminal terminal;
    CHECK(columns_of("caf\xc3\xa9") == 4);
    CHECK(columns_of(paint("31", "red")) == 3);
    CHECK(fit("abcd", 4) == "abcd");
    CHECK(fit("abcde", 4) == "abc…");
    CHECK(fit("\xc3\xa9\xc3\xa9\xc3\xa9", 2) == "\xc3\xa9…");
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

TEST_CASE("progress is never more than all of it", "[cuebox]")
{
    CHECK(progress_line(51, 0.5, 2) == "[###############...............] 50%  51 events, 25/s");
    CHECK(progress_line(102, 1.02, 1) ==
          "[##############################] 100%  102 events, 102/s");
    CHECK(progress_line(0, -0.1, 1) == "[..............................] 0%  0 events, 0/s");
    CHECK(progress_line(1, std::nullopt, 1) == "1 event, 1/s");
}

TEST_CASE("one is one event, and all other numbers are events", "[cuebox]")
{
    CHECK(counted(0, "event") == "0 events");
    CHECK(counted(1, "event") == "1 event");
    CHECK(counted(1234, "worker") == "1,234 workers");
}

TEST_CASE("wide letters take two columns, and those that combine none", "[cuebox]")
{
    const unicode_terminal terminal;

    CHECK(columns_of("東京") == 4);
    CHECK(columns_of("e\u0301") == 1);
    CHECK(columns_of("🚀") == 2);
    CHECK(fit("東京都", 6) == "東京都");
    CHECK(fit("東京都", 5) == "東京…");
    CHECK(fit("東京都", 4) == "東…");
    CHECK(fit("東京都", 1) == "…");
    CHECK(fit("東京都", 0).empty());
}

TEST_CASE("a table fits the terminal: the widest columns are cut, ids never", "[cuebox]")
{
    const unicode_terminal terminal;
    const std::string id(36, '7');
    table shown{{"ID", {"TYPE", 8}, {"ERROR", 10}}};
    shown.add({id, std::string(255, 't'), "short"});
    shown.add({id, "東京", std::string(9000, 'e')});

    for (const std::size_t columns : {58, 80, 100, 160, 400}) {
        CAPTURE(columns);
        const auto lines = shown.lines(columns);
        REQUIRE(lines.size() == 3);
        CHECK(shown.fits(columns));
        CHECK(std::ranges::all_of(
            lines, [&](const std::string& each) { return columns_of(each) <= columns; }));
        CHECK(lines[1].starts_with(id + "  ttt"));
        // Lined up: the last column begins in the same place.
        CHECK(columns_of(lines[0].substr(0, lines[0].find("ERROR"))) ==
              columns_of(lines[1].substr(0, lines[1].find("short"))));
        CHECK(columns_of(lines[2].substr(0, lines[2].find("eee"))) ==
              columns_of(lines[1].substr(0, lines[1].find("short"))));
    }
    CHECK_FALSE(shown.fits(57));
    CHECK(shown.fits({}));
    CHECK(shown.lines({})[1].find(std::string(255, 't')) != std::string::npos);
    CHECK(shown.lines({})[2].ends_with(std::string(9000, 'e')));
}

TEST_CASE("JSON is indented, and every value stays as it was written", "[cuebox]")
{
    CHECK(indent_json("{}") == "{}");
    CHECK(indent_json("[ ]") == "[]");
    CHECK(indent_json("17") == "17");
    CHECK(indent_json(R"("a, {b}: [c] \" d")") == R"("a, {b}: [c] \" d")");
    CHECK(
        indent_json(R"({"a": 1.10, "b": [1e5, -0.0, 123456789012345678901], "c": {"d": null}})") ==
        "{\n"
        "  \"a\": 1.10,\n"
        "  \"b\": [\n"
        "    1e5,\n"
        "    -0.0,\n"
        "    123456789012345678901\n"
        "  ],\n"
        "  \"c\": {\n"
        "    \"d\": null\n"
        "  }\n"
        "}");
    const std::string deep = indent_json(std::string(5000, '[') + std::string(5000, ']'));
    CHECK(deep.starts_with("[\n  [\n    ["));
    CHECK(deep.ends_with("\n  ]\n]"));
    CHECK(deep.size() < 1'000'000);
}

TEST_CASE("all of an event is printed, and nothing in it is obeyed", "[cuebox]")
{
    const std::string hostile = "a\nb\033[2J\u202ec\x7f";
    operations::event_detail event;
    event.event_type = hostile;
    event.source = hostile;
    event.target = hostile;
    event.channel = hostile;
    event.content_class = hostile;
    event.idempotency_key = hostile;
    event.trace_context = hostile;
    event.payload = {"{\"a\": \"\u202e\x7f\"}"};
    event.status = "in_flight";
    event.handler = hostile;
    event.last_error = hostile;
    event.worker = hostile;
    event.history = {{.cycle = 1, .handler = hostile, .last_error = hostile}};
    event.handled = {{.handler = hostile}};
    event.actions = {{.actor = hostile, .database_user = hostile, .action = "replay"}};
    event.copies = {{.target = hostile, .status = "pending"}};
    std::ostringstream out;

    print_event(out, event);

    const std::string text = out.str();
    CHECK(text.find('\033') == text.npos);
    CHECK(text.find('\x7f') == text.npos);
    CHECK(text.find("\u202e") == text.npos);
    CHECK(text.find("type          a\\nb\\x1b[2J\\u202ec\\x7f version 1\n") != text.npos);
    // Lines of an error stay lines, and stand under its first one.
    CHECK(text.find("error         a\n              b\\x1b[2J") != text.npos);
    // Nothing else begins a line of its own.
    CHECK(text.find("\nb\\x1b") == text.npos);
}
