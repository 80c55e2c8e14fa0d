#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>

using namespace cuebox::test;
using namespace std::chrono_literals;

TEST_CASE("a program's outcome is its exit code and what it said on either stream", "[support]")
{
    const auto done =
        run("sh", {"-c", "cat; echo $GREETING >&2; exit 3"}, "input", {{"GREETING", "hi"}});

    REQUIRE(done.exit == 3);
    REQUIRE(done.out == "input");
    REQUIRE(done.err == "hi\n");
}

TEST_CASE("a program that ends by a signal says so", "[support]")
{
    REQUIRE(run("sh", {"-c", "kill -9 $$"}).exit == 128 + SIGKILL);
}

TEST_CASE("a program that takes too long is killed with what it started", "[support]")
{
    REQUIRE_THROWS(run("sh", {"-c", "sleep 600 | cat"}, "", {}, 50ms));
}

TEST_CASE("a program that reads nothing does not hang who writes to it", "[support]")
{
    REQUIRE(run("true", {}, std::string(1 << 20, 'x')).exit == 0);
}

TEST_CASE("a program that is not there is an error", "[support]")
{
    REQUIRE_THROWS(run("/nowhere/program"));
}

TEST_CASE("a running program is talked to line by line", "[support]")
{
    process cat{"cat"};

    cat.write("one\ntwo\n");

    REQUIRE(cat.read_line() == "one");
    REQUIRE(cat.read_line() == "two");
    cat.close_input();
    REQUIRE(cat.wait().exit == 0);
    REQUIRE_THROWS(cat.read_line());
}
