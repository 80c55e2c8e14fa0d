#include "scene.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;

namespace {

constexpr statement insert{.name = "insert", .sql = "insert into t values ($1)"};
constexpr statement fail{.name = "fail", .sql = "select 1 / $1::int"};
constexpr statement rows{.name = "rows", .sql = "select count(*) from t"};

}

TEST_CASE("a pipeline answers each statement in its place", "[pg]")
{
    scene scene;
    connection link = scene.open();
    pipeline batch;
    for (int i = 0; i < 3; ++i)
        batch.add({.name = "echo", .sql = "select $1::int"}, i);

    const auto outcomes = scene.run(link.run(std::move(batch)));

    REQUIRE(outcomes.size() == 3);
    for (int i = 0; i < 3; ++i)
        CHECK(outcomes[static_cast<std::size_t>(i)].get().only<int>() == i);
    CHECK(link.prepared_statements() == 1);
}

TEST_CASE("the middle fails: its segment is undone, the others stay", "[pg]")
{
    scene scene;
    connection link = scene.open();
    scene.see("create table t(a int)");
    pipeline batch;
    batch.add(insert, 1);
    batch.end_segment();
    batch.add(insert, 2);
    batch.add(fail, 0);
    batch.add(insert, 3);
    batch.end_segment();
    batch.add(insert, 4);

    const auto outcomes = scene.run(link.run(std::move(batch)));

    CHECK(outcomes[0].ok());
    CHECK(outcomes[1].ok());
    CHECK(outcomes[2].failure()->sqlstate() == "22012");
    CHECK(outcomes[2].failure()->statement() == "fail");
    CHECK(outcomes[3].skipped());
    CHECK(outcomes[4].ok());
    CHECK(scene.see("select string_agg(a::text, ',' order by a) from t") == "1,4");
    CHECK(scene.run(link.query_one<std::int64_t>(rows)) == 2);
}

TEST_CASE("a statement skipped before it was prepared runs the next time", "[pg]")
{
    scene scene;
    connection link = scene.open();
    scene.see("create table t(a int)");
    pipeline batch;
    batch.add(fail, 0);
    batch.add(insert, 1);
    batch.end_segment();
    batch.add(insert, 2);

    const auto outcomes = scene.run(link.run(std::move(batch)));
    scene.run(link.execute(insert, 3));

    CHECK(outcomes[1].skipped());
    CHECK(outcomes[2].ok());
    CHECK(scene.see("select string_agg(a::text, ',' order by a) from t") == "2,3");
}

TEST_CASE("an empty pipeline is answered without asking", "[pg]")
{
    scene scene;
    connection link = scene.open();

    REQUIRE(scene.run(link.run({})).empty());
}

TEST_CASE("five thousand statements, large both ways, do not block each other", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const std::string large(10'000, 'x');
    const statement echo{.name = "echo", .sql = "select $1::text || $2::text"};
    pipeline batch;
    for (int i = 0; i < 5'000; ++i)
        batch.add(echo, large, std::to_string(i));

    const auto outcomes = scene.run(link.run(std::move(batch)));

    REQUIRE(outcomes.size() == 5'000);
    bool all = true;
    for (std::size_t i = 0; i < outcomes.size(); ++i)
        all = all && outcomes[i].get().only<std::string>() == large + std::to_string(i);
    REQUIRE(all);
}

TEST_CASE("a script is several statements, one transaction, and its first error", "[pg]")
{
    scene scene;
    connection link = scene.open();

    scene.run(link.run_script({.name = "make", .sql = "create table t(a int); create table u()"}));
    const auto refused = refusal_of([&] {
        scene.run(link.run_script(
            {.name = "load", .sql = "insert into t values (1); select 1/0; select nonsense"}));
    });

    CHECK(refused.sqlstate == "22012");
    CHECK(refused.says("load: division by zero"));
    CHECK(scene.see("select count(*) from t") == "0");
    CHECK(scene.run(link.query_one<std::int64_t>(rows)) == 0);
}

TEST_CASE("COPY has its own way: elsewhere it is refused and does not hang", "[pg]")
{
    scene scene;
    scene.see("create table t(a int)");

    for (const auto* sql : {"copy t to stdout", "copy t from stdin"}) {
        connection script = scene.open();
        connection single = scene.open();

        CHECK(refusal_of([&] {
                  scene.run(script.run_script({.name = "copy", .sql = sql}));
              }).code == errc::usage);
        CHECK(refusal_of([&] { scene.run(single.execute({.name = "copy", .sql = sql})); }).code);
        CHECK(script.broken());
        CHECK(single.broken());
    }
}
