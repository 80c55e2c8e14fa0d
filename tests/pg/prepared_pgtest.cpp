#include "scene.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;

namespace {

constexpr statement one{.name = "one", .sql = "select 1"};
constexpr statement known{.name = "known", .sql = "select count(*) from pg_prepared_statements"};

}

TEST_CASE("a statement is prepared once, however often it runs", "[pg]")
{
    scene scene;
    connection link = scene.open();

    for (int i = 0; i < 10; ++i)
        scene.run(link.execute(one));

    REQUIRE(link.prepared_statements() == 1);
    REQUIRE(scene.run(link.query_one<std::int64_t>(known)) == 2); // Itself included.
    REQUIRE(scene.run(link.query_one<std::int64_t>(known)) == 2);
}

TEST_CASE("with a limit of none nothing is prepared, as a transaction pooler needs it", "[pg]")
{
    scene scene;
    auto options = scene.options();
    options.prepared_max = 0;
    connection link = scene.run(connect(options));

    scene.run(link.execute(one));

    REQUIRE(link.prepared_statements() == 0);
    REQUIRE(scene.run(link.query_one<std::int64_t>(known)) == 0);
}

TEST_CASE("past the limit statements run all the same", "[pg]")
{
    scene scene;
    auto options = scene.options();
    options.prepared_max = 2;
    connection link = scene.run(connect(options));
    const statement three{.name = "three", .sql = "select 3"};

    scene.run(link.execute(one));
    scene.run(link.execute(known));

    REQUIRE(scene.run(link.query_one<int>(three)) == 3);
    REQUIRE(scene.run(link.query_one<int>(three)) == 3);
    REQUIRE(link.prepared_statements() == 2);
}

TEST_CASE("after DISCARD ALL a statement fails once, and the next try works", "[pg]")
{
    scene scene;
    connection link = scene.open();
    scene.run(link.execute(one));
    scene.run(link.run_script({.name = "discard", .sql = "discard all"}));

    REQUIRE(refusal_of([&] { scene.run(link.execute(one)); }).sqlstate == "26000");
    REQUIRE(scene.run(link.query_one<int>(one)) == 1);
    REQUIRE(link.prepared_statements() == 1);
}

TEST_CASE("after a table has changed a statement fails once, and the next try works", "[pg]")
{
    scene scene;
    connection link = scene.open();
    scene.see("create table t(a int); insert into t values (1)");
    const statement all{.name = "all", .sql = "select * from t"};
    struct narrow
    {
        int a{};
    };
    struct wide
    {
        int a{};
        std::string b{};
    };
    REQUIRE(scene.run(link.query<narrow>(all)).size() == 1);
    scene.see("alter table t add b text default 'new'");

    const auto refused = refusal_of([&] { scene.run(link.query<wide>(all)); });

    REQUIRE(refused.sqlstate == "0A000");
    REQUIRE(refused.says("cached plan must not change result type"));
    REQUIRE(scene.run(link.query<wide>(all)).front().b == "new");
}

TEST_CASE("a statement that cannot be prepared is tried anew each time", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const statement early{.name = "early", .sql = "select a from late"};

    REQUIRE(refusal_of([&] { scene.run(link.execute(early)); }).sqlstate == "42P01");
    REQUIRE(link.prepared_statements() == 0);
    scene.see("create table late(a int); insert into late values (7)");
    REQUIRE(scene.run(link.query_one<int>(early)) == 7);
}

TEST_CASE("the same text with other parameter types is another statement", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const statement echo{.name = "echo", .sql = "select pg_typeof($1)::text"};

    CHECK(scene.run(link.query_one<std::string>(echo, 1)) == "integer");
    CHECK(scene.run(link.query_one<std::string>(echo, true)) == "boolean");
    CHECK(scene.run(link.query_one<std::string>(echo, 2)) == "integer");
    CHECK(link.prepared_statements() == 2);
}

TEST_CASE("a statement that is described is parsed and not run", "[pg]")
{
    scene scene;
    connection link = scene.open();
    scene.run(link.run_script({.name = "make", .sql = "create table t (id int, word text)"}));
    const auto parameters = [&](std::string_view sql) {
        return scene.run(link.describe({.name = "it", .sql = sql}, params(std::in_place, 1, 2)));
    };
    const auto refusal = [&](std::string_view sql) {
        try {
            parameters(sql);
        }
        catch (const error& refused) {
            return refused.sqlstate();
        }
        return std::string("none");
    };

    CHECK(parameters("insert into t values ($1, 'a')") == 2);
    CHECK(parameters("insert into t values ($1, $2::text || $3)") == 3);
    CHECK(refusal("insert into t values ($1, $4)") == "42P18"); // What is $3?
    CHECK(refusal("insrt into t values ($1)") == "42601");
    CHECK(refusal("insert into t values (1); delete from t") == "42601");
    CHECK(refusal("insert into missing values ($1)") == "42P01");
    CHECK(refusal("select word + $1 from t") == "42883");

    const statement count{.name = "count", .sql = "select count(*) from t"};
    CHECK(scene.run(link.query_one<std::int64_t>(count)) == 0);
    CHECK_FALSE(link.broken());
}
