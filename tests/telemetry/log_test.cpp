#include <cuebox/telemetry/log_line.hpp>

#include <catch2/catch_test_macros.hpp>

#include <limits>

using namespace cuebox::telemetry;

namespace {

const moment when{std::chrono::sys_days{std::chrono::year{2026} / 11 / 16} + std::chrono::hours(3)};

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
          R"("message":"handled","attempts":2,"ms":1.5,"ok":true,"none":null,)"
          R"("error":"line\n\"two\"\u0001"})");
}

TEST_CASE("a line as text quotes what has blanks and leaves out what is empty", "[telemetry]")
{
    const field fields[] = {{"a", "plain"}, {"b", "two words"}, {"c", ""}};

    CHECK(print_text({level::info, "listening", fields}, when) ==
          R"(03:00:00.000 info    listening  a=plain  b="two words")");
}

TEST_CASE("a line as text commands no terminal and is one line", "[telemetry]")
{
    const field fields[] = {{"a", "\033[2J"}, {"b", "x\u202ey"}, {"c", "two\nlines"}};

    CHECK(print_text({level::info, "listening", fields}, when) ==
          R"(03:00:00.000 info    listening  a=\x1b[2J  b=x\u202ey  c="two\nlines")");
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
