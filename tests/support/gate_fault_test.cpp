#include "support/gate_ends.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::test;
using namespace std::chrono_literals;

TEST_CASE("a connection is cut after exactly so many bytes", "[support][threads]")
{
    ends ends;
    for (std::size_t bytes = 0; bytes < 10; ++bytes) {
        ends.gate.cut_after(way::up, bytes, ending::finish);
        ends.open();
        error_code ignored;
        asio::write(ends.client, asio::buffer("0123456789", 10), ignored);

        REQUIRE(hear(ends.server, bytes) == std::string{"0123456789"}.substr(0, bytes));
        REQUIRE(hear_end(ends.server) == asio::error::eof);
    }

    ends.open();
    say(ends.client, "0123456789");
    REQUIRE(hear(ends.server, 10) == "0123456789");
}

TEST_CASE("a connection stops after exactly so many bytes and goes on later", "[support][threads]")
{
    ends ends;
    ends.gate.stop_after(way::down, 4);
    ends.open();

    say(ends.server, "0123456789");
    REQUIRE(hear(ends.client, 4) == "0123");
    say(ends.client, "still there?");
    REQUIRE(hear(ends.server, 12) == "still there?");
    REQUIRE(is_silent(ends.client));
    REQUIRE(ends.gate.bytes(way::down) == 4);
    ends.gate.trickle();
    REQUIRE(ends.gate.bytes(way::down) == 4);

    ends.gate.pass();
    REQUIRE(hear(ends.client, 6) == "456789");
}

TEST_CASE("a fault hits as many connections as it is told", "[support][threads]")
{
    ends ends;
    ends.gate.cut_after(way::up, 1, ending::reset, 2);

    for (int times = 0; times < 2; ++times) {
        ends.open();
        say(ends.client, "ab");
        REQUIRE(hear_end(ends.client) == asio::error::connection_reset);
    }

    ends.open();
    say(ends.client, "ab");
    REQUIRE(hear(ends.server, 2) == "ab");
}

TEST_CASE("a connection that is past the point of a fault is spared", "[support][threads]")
{
    ends ends;
    ends.open();
    say(ends.client, "abc");
    REQUIRE(ends.gate.wait_until_bytes(way::up, 3, 10s));

    ends.gate.cut_after(way::up, 1);

    say(ends.client, "def");
    REQUIRE(hear(ends.server, 6) == "abcdef");
    auto next = ends.connect();
    say(next, "ab");
    REQUIRE(hear_end(next) == asio::error::connection_reset);
}
