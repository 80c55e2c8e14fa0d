#include <cuebox/event/utf8.hpp>
#include <cuebox/telemetry/log_line.hpp>
#include <cuebox/telemetry/quill_log.hpp>
#include <cuebox/telemetry/stderr_log.hpp>

#include <catch2/catch_test_macros.hpp>
#include <tao/json/from_string.hpp>
#include <tao/json/to_string.hpp>
#include <tao/json/value.hpp>

#include <cstdio>
#include <fstream>
#include <limits>
#include <stdlib.h>
#include <unistd.h>

using namespace cuebox::telemetry;
using namespace std::string_literals;

namespace {

const moment when{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16} + std::chrono::hours(3)};

// What somebody might send, and what a reader gets.
struct text
{
    std::string sent;
    std::string back;
};
const text hostile[] = {
    {"plain", "plain"},
    {"café 東京 🚚", "café 東京 🚚"},
    {"a\nb\r\nc\rd", "a\nb\r\nc\rd"},
    {"\"quoted\" \\ back\\", "\"quoted\" \\ back\\"},
    {"\"},{\"level\":\"info", "\"},{\"level\":\"info"},
    {"nul\0, bell\a, \x1b[31mred\x7f"s, "nul\0, bell\a, \x1b[31mred\x7f"s},
    {"\xff\xc3(\xe2\x82", "\uFFFD\uFFFD(\uFFFD\uFFFD"},
    {"\xed\xa0\x80 \xc0\xaf", "\uFFFD\uFFFD\uFFFD \uFFFD\uFFFD"},
    {"\u2028 \u2029 \u0085 \u009b", "\u2028 \u2029 \u0085 \u009b"},
    {"\u202etxt.exe\u202c \u2066x\u2069 \u200f\u061c\ufeff",
     "\u202etxt.exe\u202c \u2066x\u2069 \u200f\u061c\ufeff"},
    {std::string(100'000, '\xe9'),
     [] {
         std::string all;
         for (int i = 0; i < 100'000; ++i)
             all += "\uFFFD";
         return all;
     }()},
};

// Whatever in a line could end it or change how it looks.
std::string breaks(const std::string& line)
{
    for (const char* each : {"\n", "\r", "\x1b", "\x7f", "\u0085", "\u009b", "\u2028", "\u2029",
                             "\u202e", "\u2066", "\u200f", "\u061c", "\ufeff"})
        if (line.find(each) != std::string::npos)
            return each;
    return line.find('\0') == std::string::npos ? "" : "NUL";
}

}

TEST_CASE("a line as JSON keeps numbers numbers and escapes what it must", "[telemetry]")
{
    const field fields[] = {{"attempts", 2},
                            {"ms", 1.5},
                            {"ok", true},
                            {"none", std::numeric_limits<double>::quiet_NaN()},
                            {"error", "line\n\"two\"\x01"}};

    CHECK(print_json({level::warning, "handled", fields}, {.service = "shop"}, when) ==
          R"({"timestamp":"2026-11-16T03:00:00.000000Z","level":"warning","service":"shop",)"
          R"("environment":"","version":"","trace_id":"","span_id":"",)"
          R"("message":"handled","attempts":2,"ms":1.5,"ok":true,"none":null,)"
          R"("error":"line\n\"two\"\u0001"})");
}

TEST_CASE("a line as text quotes what has blanks and leaves out what is empty", "[telemetry]")
{
    const field fields[] = {{"a", "plain"}, {"b", "two words"}, {"c", ""}};

    CHECK(print_text({level::info, "listening", fields}, when) ==
          R"(2026-11-16 03:00:00.000Z info    listening  a=plain  b="two words")");
}

TEST_CASE("every JSON line has the canonical fields, each once", "[telemetry]")
{
    const auto value_of = [](std::span<const field> fields, const std::string& key) {
        const auto text =
            print_json({level::info, "said", fields},
                       {.service = "shop", .environment = "live", .version = "2"}, when);
        CAPTURE(text);
        for (const char* each : {"timestamp", "level", "service", "environment", "version",
                                 "trace_id", "span_id", "message"})
        {
            const std::string name = std::string("\"") + each + "\":";
            CHECK(text.find(name) != std::string::npos);
            CHECK(text.find(name) == text.rfind(name));
        }
        return tao::json::to_string(tao::json::from_string(text).at(key));
    };
    const field trace[] = {{"trace_id", "old"}, {"x", 1}, {"trace_id", "new"}, {"x", 2}};
    const field loud[] = {{"level", 7}, {"message", "mine"}, {"version", "3"}};

    CHECK(value_of({}, "environment") == R"("live")");
    CHECK(value_of({}, "trace_id") == R"("")");
    CHECK(value_of(trace, "trace_id") == R"("new")");
    CHECK(value_of(trace, "x") == "2");
    CHECK(value_of(loud, "level") == R"("info")");
    CHECK(value_of(loud, "level_") == "7");
    CHECK(value_of(loud, "message_") == R"("mine")");
    CHECK(value_of(loud, "version") == R"("3")");
}

TEST_CASE("whatever a text holds, a JSON line is JSON that gives it back", "[telemetry]")
{
    for (const auto& [text, back] : hostile) {
        const field fields[] = {{"text", text}, {text, 1}};
        const std::string printed =
            print_json({level::error, text, fields}, {.service = text, .environment = text}, when);

        INFO(printed);
        const auto read = tao::json::from_string(printed);
        for (const char* key : {"text", "message", "service", "environment"})
            CHECK(read.at(key).get_string() == back);
        CHECK(cuebox::event::is_utf8(printed));
        CHECK(breaks(printed) == "");
    }
}

TEST_CASE("whatever a text holds, a line of text is one line", "[telemetry]")
{
    for (const auto& [text, back] : hostile) {
        const field fields[] = {{"text", text}, {text, 1}};
        const std::string printed = print_text({level::error, text, fields}, when);

        INFO(printed);
        CHECK(cuebox::event::is_utf8(printed));
        CHECK(breaks(printed) == "");
    }
    const field forged[] = {{"error", "a\r2026-11-16 03:00:00.000Z info    all is well"}};
    CHECK(print_text({level::error, "x", forged}, when) ==
          R"(2026-11-16 03:00:00.000Z error   x  )"
          R"(error="a\r2026-11-16 03:00:00.000Z info    all is well")");
}

TEST_CASE("what people write stays readable in both", "[telemetry]")
{
    const field fields[] = {{"where", "Zürich-東京-🚚"}};

    CHECK(print_text({level::info, "für dich", fields}, when) ==
          "2026-11-16 03:00:00.000Z info    für dich  where=Zürich-東京-🚚");
    CHECK(print_json({level::info, "für dich", fields}, {}, when)
              .ends_with(R"("message":"für dich","where":"Zürich-東京-🚚"})"));
}

TEST_CASE("a line comes through to its file as it was printed", "[telemetry]")
{
    std::string path = "/tmp/cuebox_test_XXXXXX";
    ::close(::mkstemp(path.data()));
    const logger log(make_log({.json = true, .file = path, .from = {.environment = "live"}}));

    for (const auto& [text, back] : hostile)
        log.error("dead letter", {{"last_error", text}});
    flush_log();

    std::ifstream file(path);
    std::size_t lines = 0;
    for (std::string line; std::getline(file, line); ++lines) {
        INFO(line);
        REQUIRE(lines < std::size(hostile));
        CHECK(tao::json::from_string(line).at("last_error").get_string() == hostile[lines].back);
        CHECK(tao::json::from_string(line).at("environment").get_string() == "live");
    }
    CHECK(lines == std::size(hostile));
    ::unlink(path.c_str());
}

TEST_CASE("a logger puts its own fields first and is silent below its level", "[telemetry]")
{
    std::vector<std::string> said;
    const logger log(
        [&](const line& line) {
            std::string text(line.message);
            for (const field& each : line.fields)
                text += " " + each.key;
            said.push_back(text);
        },
        level::warning);

    const auto mine = log.with({{"context", "a"}}).with({{"worker", 1}});
    mine.info("not this");
    mine.error("this", {{"why", "x"}});
    logger().error("nobody hears");

    CHECK(said == std::vector<std::string>{"this context worker why"});
}

TEST_CASE("a log on stderr writes each line at once, from its level up", "[telemetry]")
{
    std::FILE* const kept = std::tmpfile();
    const int before = ::dup(STDERR_FILENO);
    std::fflush(stderr);
    ::dup2(::fileno(kept), STDERR_FILENO);

    const logger log = stderr_log();
    log.info("listening");
    log.with({{"context", "billing"}}).error("dead letter", {{"attempts", 5}});

    ::dup2(before, STDERR_FILENO);
    ::close(before);
    std::rewind(kept);
    char text[200] = {};
    const std::size_t size = std::fread(text, 1, sizeof text, kept);
    std::fclose(kept);
    CHECK(std::string_view(text, size).substr(24) ==
          " error   dead letter  context=billing  attempts=5\n");
}
