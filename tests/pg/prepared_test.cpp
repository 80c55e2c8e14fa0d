#include <cuebox/pg/prepared.hpp>

#include <catch2/catch_test_macros.hpp>

using cuebox::pg::detail::prepared;
using use = prepared::use;

namespace {

use how(prepared& statements, std::string_view sql, const std::vector<cuebox::pg::oid>& types = {})
{
    return statements.choose(sql, types).how;
}

}

TEST_CASE("a statement is prepared the first time and called by name from then on", "[pg]")
{
    prepared statements(10);

    const auto first = statements.choose("select 1", {});
    statements.confirm(first.name);
    statements.end_segment();
    statements.end_run();
    const auto second = statements.choose("select 1", {});

    REQUIRE(first.how == use::prepare_first);
    REQUIRE(second.how == use::by_name);
    REQUIRE(second.name == first.name);
    REQUIRE(statements.size() == 1);
}

TEST_CASE("within its segment a statement being prepared already has its name", "[pg]")
{
    prepared statements(10);

    REQUIRE(how(statements, "select 1") == use::prepare_first);
    REQUIRE(how(statements, "select 1") == use::by_name);
}

TEST_CASE("the next segment cannot know whether it was prepared, so it is sent as it is", "[pg]")
{
    prepared statements(10);

    REQUIRE(how(statements, "select 1") == use::prepare_first);
    statements.end_segment();
    REQUIRE(how(statements, "select 1") == use::as_it_is);
    REQUIRE(how(statements, "select 2") == use::prepare_first);
}

TEST_CASE("preparing that was skipped is tried again in the next run, under a new name", "[pg]")
{
    prepared statements(10);

    const auto skipped = statements.choose("select 1", {});
    statements.end_segment();
    statements.end_run();
    const auto again = statements.choose("select 1", {});

    REQUIRE(again.how == use::prepare_first);
    REQUIRE(again.name != skipped.name);
    REQUIRE(statements.size() == 0);
}

TEST_CASE("other parameter types make another statement", "[pg]")
{
    prepared statements(10);

    REQUIRE(how(statements, "select $1", {20}) == use::prepare_first);
    REQUIRE(how(statements, "select $1", {23}) == use::prepare_first);
    REQUIRE(how(statements, "select $1", {20}) == use::by_name);
}

TEST_CASE("past the limit statements are sent as they are, those being prepared counted", "[pg]")
{
    prepared statements(2);

    const auto first = statements.choose("select 1", {});
    REQUIRE(how(statements, "select 2") == use::prepare_first);
    REQUIRE(how(statements, "select 3") == use::as_it_is);
    statements.confirm(first.name);
    statements.end_run();

    REQUIRE(how(statements, "select 1") == use::by_name);
    REQUIRE(how(statements, "select 3") == use::prepare_first);
    REQUIRE(how(statements, "select 4") == use::as_it_is);
}

TEST_CASE("confirming a statement does not count it twice", "[pg]")
{
    prepared statements(2);

    statements.confirm(statements.choose("select 1", {}).name);

    REQUIRE(how(statements, "select 2") == use::prepare_first);
}

TEST_CASE("a limit of none prepares none", "[pg]")
{
    prepared statements(0);

    REQUIRE(how(statements, "select 1") == use::as_it_is);
    REQUIRE(how(statements, "select 1") == use::as_it_is);
}

TEST_CASE("a forgotten statement is prepared anew; the others stay", "[pg]")
{
    prepared statements(10);
    const auto stale = statements.choose("select 1", {});
    const auto other = statements.choose("select 2", {});
    statements.confirm(stale.name);
    statements.confirm(other.name);
    statements.end_run();

    statements.forget(stale.name);
    statements.forget("nobody");

    const auto again = statements.choose("select 1", {});
    REQUIRE(again.how == use::prepare_first);
    REQUIRE(again.name != stale.name);
    REQUIRE(how(statements, "select 2") == use::by_name);
}
