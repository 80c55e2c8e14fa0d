#include "support/gate_ends.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::test;
using namespace std::chrono_literals;

TEST_CASE("a gate forwards both ways and counts", "[support][threads]")
{
    ends ends;
    ends.open();

    say(ends.client, "hello");
    REQUIRE(hear(ends.server, 5) == "hello");
    say(ends.server, "hi");
    REQUIRE(hear(ends.client, 2) == "hi");

    REQUIRE(ends.gate.wait_until_bytes(way::up, 5, 10s));
    REQUIRE(ends.gate.wait_until_bytes(way::down, 2, 10s));
    REQUIRE(ends.gate.connections() == 1);
}

TEST_CASE("a gate forwards an end after all that came before it", "[support][threads]")
{
    ends ends;
    ends.open();

    say(ends.client, "last words");
    ends.client.shutdown(tcp::socket::shutdown_send);
    REQUIRE(hear(ends.server, 10) == "last words");
    REQUIRE(hear_end(ends.server) == asio::error::eof);
    say(ends.server, "answer");
    ends.server.close();

    REQUIRE(hear(ends.client, 6) == "answer");
    REQUIRE(hear_end(ends.client) == asio::error::eof);
    REQUIRE(ends.gate.wait_until_connections(0, 10s));
}

TEST_CASE("a cut connection ends on both sides as asked, and new ones pass", "[support][threads]")
{
    ends ends;
    ends.open();
    ends.gate.cut(ending::reset);
    REQUIRE(hear_end(ends.client) == asio::error::connection_reset);
    REQUIRE(hear_end(ends.server) == asio::error::connection_reset);

    ends.open();
    ends.gate.cut(ending::finish);
    REQUIRE(hear_end(ends.client) == asio::error::eof);
    REQUIRE(hear_end(ends.server) == asio::error::eof);

    ends.open();
    say(ends.client, "x");
    REQUIRE(hear(ends.server, 1) == "x");
}

TEST_CASE("a half-open gate takes everything and gives nothing", "[support][threads]")
{
    ends ends;
    ends.open();
    ends.gate.half_open();

    say(ends.client, "hello");
    say(ends.server, "hi");
    REQUIRE(ends.gate.wait_until_swallowed(7, 10s));
    auto late = ends.connect();
    say(late, "late");
    REQUIRE(ends.gate.wait_until_swallowed(11, 10s));

    REQUIRE(is_silent(ends.client));
    REQUIRE(is_silent(ends.server));
    REQUIRE(ends.gate.bytes(way::up) == 0);

    ends.client.close();
    REQUIRE(ends.gate.wait_until_connections(1, 10s));
    REQUIRE(is_silent(ends.server));

    ends.gate.pass();
    ends.open();
    say(ends.client, "x");
    REQUIRE(hear(ends.server, 1) == "x");
}

TEST_CASE("a connection that lost nothing while half-open goes on", "[support][threads]")
{
    ends ends;
    ends.open();
    ends.gate.half_open();
    ends.gate.pass();

    say(ends.client, "x");

    REQUIRE(hear(ends.server, 1) == "x");
}

TEST_CASE("a refusing gate keeps its port and accepts again", "[support][threads]")
{
    ends ends;
    ends.open();
    ends.gate.refuse();

    error_code how;
    tcp::socket refused{ends.context};
    refused.connect({any_port.address(), static_cast<unsigned short>(ends.gate.port())}, how);
    REQUIRE(how == asio::error::connection_refused);
    say(ends.client, "x");
    REQUIRE(hear(ends.server, 1) == "x");

    ends.gate.accept();
    ends.gate.accept();
    ends.open();
    say(ends.client, "y");
    REQUIRE(hear(ends.server, 1) == "y");
}

TEST_CASE("delayed bytes arrive late, complete and in order", "[support][threads]")
{
    ends ends;
    ends.open();
    ends.gate.delay(way::up, 30ms);
    const auto start = std::chrono::steady_clock::now();

    for (int times = 0; times < 10; ++times)
        say(ends.client, "0123456789");
    std::string expected;
    for (int times = 0; times < 10; ++times)
        expected += "0123456789";

    REQUIRE(hear(ends.server, 100) == expected);
    REQUIRE(std::chrono::steady_clock::now() - start >= 30ms);
}

TEST_CASE("what waits for a delay arrives at once when everything passes again",
          "[support][threads]")
{
    ends ends;
    ends.open();
    ends.gate.delay(1h);
    say(ends.client, "x");

    ends.gate.pass();

    REQUIRE(hear(ends.server, 1) == "x");
}

TEST_CASE("a trickling gate delivers everything", "[support][threads]")
{
    ends ends;
    ends.open();
    ends.gate.trickle();
    const std::string text(5000, 'x');

    say(ends.client, text);

    REQUIRE(hear(ends.server, 5000) == text);
}

TEST_CASE("a gate to nowhere resets who comes", "[support][threads]")
{
    ends ends;
    ends.listening.close();

    auto client = ends.connect();

    REQUIRE(hear_end(client) == asio::error::connection_reset);
}
