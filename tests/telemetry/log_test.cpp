#include <cuebox/telemetry/log_line.hpp>
#include <cuebox/telemetry/stderr_log.hpp>

#include <catch2/catch_test_macros.hpp>

#include <cstdio>
#include <limits>
#include <unistd.h>

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
    CHECK(std::string_view(text, size).substr(12) ==
          " error   dead letter  context=billing  attempts=5\n");
}
