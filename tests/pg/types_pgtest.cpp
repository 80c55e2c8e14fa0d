#include "scene.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cmath>
#include <limits>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;
using namespace std::string_literals;

TEST_CASE("numbers travel there and back, their ends included", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const auto echo = [&]<class T>(std::string_view sql, T value) {
        return scene.run(link.query_one<T>({.name = "echo", .sql = sql}, value)) == value;
    };

    for (const bool each : {true, false})
        CHECK(echo("select $1::boolean", each));
    for (const std::int16_t each : {std::int16_t{-32768}, std::int16_t{0}, std::int16_t{32767}})
        CHECK(echo("select $1::smallint", each));
    for (const std::int32_t each :
         {std::numeric_limits<std::int32_t>::min(), 0, std::numeric_limits<std::int32_t>::max()})
        CHECK(echo("select $1::integer", each));
    for (const std::int64_t each : {std::numeric_limits<std::int64_t>::min(), std::int64_t{0},
                                    std::numeric_limits<std::int64_t>::max()})
        CHECK(echo("select $1::bigint", each));
    for (const double each :
         {0.0, -1.5, std::numeric_limits<double>::max(), std::numeric_limits<double>::denorm_min(),
          std::numeric_limits<double>::infinity()})
        CHECK(echo("select $1::double precision", each));
}

TEST_CASE("text, bytes, uuids, times and places travel there and back", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const auto echo = [&]<class T>(std::string_view sql, T value) {
        return scene.run(link.query_one<T>({.name = "echo", .sql = sql}, value)) == value;
    };
    uuid id{};
    id.begin()[0] = 0x12;
    const timestamp day = std::chrono::sys_days{std::chrono::year{2024} / 2 / 29};

    for (const auto& each : {""s, "tea"s, "日本 😀 \"'\\"s, std::string(1'000'000, 'x')})
        CHECK(echo("select $1::text", each));
    for (const auto& each : {bytes{}, bytes{std::byte{0}, std::byte{255}, std::byte{0}}})
        CHECK(echo("select $1::bytea", each));
    CHECK(echo("select $1::uuid", id));
    for (const timestamp each : {day + 1us, timestamp{} - 1us, timestamp::max(), timestamp::min()})
        CHECK(echo("select $1::timestamptz", each));
    for (const std::chrono::microseconds each : {0us, 1us, -1us, std::chrono::microseconds(49h)})
        CHECK(echo("select $1::interval", each));
    CHECK(echo("select $1::tid", tid{.block = 4294967295, .offset = 65535}));
}

TEST_CASE("arrays and NULLs travel there and back", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const auto echo = [&]<class T>(std::string_view sql, T value) {
        return scene.run(link.query_one<T>({.name = "echo", .sql = sql}, value)) == value;
    };

    CHECK(echo("select $1::bigint[]", std::vector<std::int64_t>{}));
    CHECK(echo("select $1::bigint[]", std::vector<std::int64_t>{1, -2}));
    CHECK(echo("select $1::text[]", std::vector{""s, "a,{}\"\\"s, "NULL"s}));
    CHECK(echo("select $1::integer[]", std::vector<std::optional<int>>{1, std::nullopt}));
    CHECK(echo("select $1::uuid[]", std::vector<uuid>(3)));
    CHECK(echo("select $1::bytea[]", std::vector<bytes>{{}, {std::byte{0}}}));
    CHECK(echo("select $1::timestamptz[]", std::vector<timestamp>{timestamp{}, timestamp::max()}));
    CHECK(echo("select $1::interval[]", std::vector<std::chrono::microseconds>{1us}));
    CHECK(echo("select $1::double precision[]", std::vector{1.5}));
    CHECK(echo("select $1::integer", std::optional<int>()));
    CHECK(echo("select $1::text", std::optional<std::string>()));
    CHECK(echo("select $1::integer[]", std::optional<std::vector<int>>()));
    CHECK(echo("select $1::integer[]", std::optional(std::vector{1})));
}

TEST_CASE("a value means the same to the server as to psql", "[pg]")
{
    scene scene;
    connection link = scene.open();
    scene.run(link.run_script({.name = "make",
                               .sql = "create type mood as enum ('sad', 'glad');"
                                      "create table seen(a bigint, b text, c jsonb,"
                                      " d timestamptz, e interval, f bytea, g mood,"
                                      " h numeric, i uuid, j text[])"}));
    const timestamp day = std::chrono::sys_days{std::chrono::year{2024} / 2 / 29};

    scene.run(link.execute(
        {.name = "insert", .sql = "insert into seen values ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10)"}, 7,
        "tea", json{R"({"a":[1]})"}, day + 1us, 90min, bytes{std::byte{1}}, "glad", "12.50", uuid{},
        std::vector{"a"s}));

    CHECK(scene.see("set timezone = 'UTC'; select * from seen") ==
          "7|tea|{\"a\": [1]}|2024-02-29 00:00:00.000001+00|01:30:00|\\x01|glad|12.50|"
          "00000000-0000-0000-0000-000000000000|{a}");
}

TEST_CASE("text stands for enums, domains, dates, numerics and jsonb", "[pg]")
{
    scene scene;
    connection link = scene.open();
    scene.run(link.run_script({.name = "make",
                               .sql = "create type mood as enum ('sad', 'glad');"
                                      "create domain tag as text"}));
    const auto read = [&](std::string_view sql, std::string_view value) {
        return scene.run(link.query_one<std::string>({.name = "echo", .sql = sql}, value));
    };

    CHECK(read("select $1::mood", "glad") == "glad");
    CHECK(read("select $1::tag", "x") == "x");
    CHECK(read("select $1::date::text", "2024-02-29") == "2024-02-29");
    CHECK(read("select $1::jsonb", "{\"a\":1}") == "{\"a\": 1}");
    CHECK(read("select $1::json", "{\"a\":1}") == "{\"a\":1}");
    CHECK(read("select $1::varchar", "v") == "v");
    CHECK(read("select $1::char(3)", "c") == "c  ");
    CHECK(read("select $1::name", "n") == "n");
}

TEST_CASE("a numeric reads as Postgres prints it", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const statement print{.name = "print", .sql = "select $1::numeric"};

    for (const std::string each :
         {"0", "0.00", "1", "-1", "12.50", "-0.0001", "10000", "100000000.00000001", "99999999",
          "0.1234567890123456789012345678901234567890", "NaN", "Infinity", "-Infinity",
          "123456789012345678901234567890"})
        CHECK(scene.run(link.query_one<std::string>(print, each)) == each);
    CHECK(scene.run(link.query_one<double>(print, "-2.5")) == -2.5);
    CHECK(refusal_of([&] { scene.run(link.query_one<double>(print, "1e400")); }).code ==
          errc::shape);
}

TEST_CASE("a value the server refuses does not show in the error", "[pg]")
{
    scene scene;
    connection link = scene.open();
    struct row
    {
        const char* sql;
        const char* sqlstate;
    };

    for (const auto& [sql, sqlstate] :
         {row{"select $1::integer", "22P02"}, row{"select $1::timestamptz", "22007"},
          row{"select $1::jsonb", "22P02"}, row{"select $1::uuid", "22P02"},
          row{"select ('1' || length($1) || '00000000000')::integer", "22003"},
          row{"select $1::integer[]", "22P02"}})
    {
        const auto refused =
            refusal_of([&] { scene.run(link.execute({.name = "cast", .sql = sql}, "s3cret")); });

        CHECK(refused.code == errc::server);
        CHECK(refused.sqlstate == sqlstate);
        CHECK_FALSE(refused.says("s3cret"));
        CHECK_FALSE(refused.says("1600000"));
        CHECK(refused.says("cast: "));
    }
    CHECK(scene.run(link.query_one<int>({.name = "one", .sql = "select 1"})) == 1);
}

TEST_CASE("a timestamp beyond the server's is refused, never taken for another", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const statement echo{.name = "echo", .sql = "select $1::timestamptz"};

    const timestamp early = timestamp::min() + 1us;
    CHECK(refusal_of([&] { scene.run(link.query_one<timestamp>(echo, early)); }).sqlstate ==
          "22008");
    CHECK(scene.run(link.query_one<timestamp>(echo, timestamp::max() - 1us)) ==
          timestamp::max() - 1us);
    CHECK(refusal_of([&] { scene.run(link.query_one<timestamp>(echo, "294276-12-31")); }).code ==
          errc::shape);
}
