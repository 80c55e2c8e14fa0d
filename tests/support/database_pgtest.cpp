#include "support/cluster.hpp"
#include "support/database.hpp"
#include "support/psql.hpp"
#include "support/tcp_gate.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using namespace cuebox::test;
using namespace std::chrono_literals;

TEST_CASE("each test has a database of its own, gone afterwards", "[support]")
{
    std::string name;
    {
        const database mine;
        const database other;
        name = mine.name();
        mine.query("create table t as select generate_series(1, 3) as n");

        REQUIRE(mine.query("select n, n * n from t order by n") == "1|1\n2|4\n3|9");
        REQUIRE(psql(mine.tcp_conninfo(), "select current_database()") == name);
        REQUIRE_THROWS(other.query("select * from t"));
    }

    REQUIRE(
        psql(the_cluster().conninfo(), "select 1 from pg_database where datname = '" + name + "'")
            .empty());
}

TEST_CASE("an error of SQL is thrown as psql tells it", "[support]")
{
    const database database;

    REQUIRE_THROWS_WITH(database.query("select 1; select 1 / 0; select 2"),
                        Catch::Matchers::ContainsSubstring("division by zero"));
}

TEST_CASE("Postgres is reached through a gate, also byte by byte", "[support]")
{
    const database database;
    tcp_gate gate;

    REQUIRE(psql(gate.conninfo(database.name()), "select 1") == "1");
    gate.trickle();
    REQUIRE(psql(gate.conninfo(database.name()), "select repeat('x', 1000)") ==
            std::string(1000, 'x'));

    REQUIRE(gate.wait_until_connections(0, 10s));
    REQUIRE(gate.accepted() == 2);
    REQUIRE(gate.bytes(way::down) > 1000);
}

TEST_CASE("a fault at any byte of a session is an error, and the next session is fine", "[support]")
{
    const database database;
    tcp_gate gate;
    const auto conninfo = gate.conninfo(database.name());
    psql(conninfo, "select 1");
    REQUIRE(gate.wait_until_connections(0, 10s));
    const auto session = gate.bytes(way::down);

    for (std::size_t offset = 0; offset < session - 20; offset += 97) {
        gate.cut_after(way::down, offset);
        CHECK_THROWS(psql(conninfo, "select 1"));
        CHECK(psql(conninfo, "select 1") == "1");
        REQUIRE(gate.wait_until_connections(0, 10s));
    }
}
