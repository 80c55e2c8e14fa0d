#include "scene.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;

namespace {

struct order
{
    std::int64_t id{};
    std::string buyer{};
    std::optional<double> discount{};

    bool operator==(const order&) const = default;
};

constexpr statement orders{.name = "orders", .sql = R"(
    select discount, buyer, id, 'unused' as more
    from (values (1::bigint, 'ada', null::float8), (2, 'bob', 0.5)) as t(id, buyer, discount)
    where id = any ($1) order by id)"};

using ids = std::vector<std::int64_t>;

}

TEST_CASE("rows are read into structs by column name, whatever their order", "[pg]")
{
    scene scene;
    connection link = scene.open();

    const auto all = scene.run(link.query<order>(orders, ids{1, 2}));

    REQUIRE(all == std::vector{order{1, "ada", std::nullopt}, order{2, "bob", 0.5}});
}

TEST_CASE("rows are given away one by one, and nothing of one is left in the next", "[pg]")
{
    struct note
    {
        std::optional<std::string> to;
        std::string text;
    };
    scene scene;
    connection link = scene.open();
    const auto found = scene.run(link.execute({.name = "notes", .sql = R"(
select text, "to" from (values ('a text too long to be kept within the string itself', 'ada'),
    ('short', null), ('', 'bob')) as n (text, "to"))"}));

    std::vector<note> kept;
    found.each<note>([&kept](note&& each) { kept.push_back(std::move(each)); });

    REQUIRE(kept.size() == 3);
    CHECK(kept[0].text == "a text too long to be kept within the string itself");
    CHECK(kept[0].to == "ada");
    CHECK(kept[1].text == "short");
    CHECK_FALSE(kept[1].to);
    CHECK(kept[2].text.empty());
    CHECK(kept[2].to == "bob");
}

TEST_CASE("the first row if any, or exactly one", "[pg]")
{
    scene scene;
    connection link = scene.open();

    CHECK(scene.run(link.query_first<order>(orders, ids{2}))->buyer == "bob");
    CHECK_FALSE(scene.run(link.query_first<order>(orders, ids{})));
    CHECK(scene.run(link.query_one<order>(orders, ids{1})).buyer == "ada");
    CHECK(refusal_of([&] { scene.run(link.query_one<order>(orders, ids{})); }).what ==
          "orders: expected one row, got 0");
    CHECK(refusal_of([&] { scene.run(link.query_one<order>(orders, ids{1, 2})); }).what ==
          "orders: expected one row, got 2");
}

TEST_CASE("a column the struct has and the result has not is named", "[pg]")
{
    scene scene;
    connection link = scene.open();

    const auto refused = refusal_of(
        [&] { scene.run(link.query<order>({.name = "ids", .sql = "select 1::bigint as id"})); });

    REQUIRE(refused.code == errc::shape);
    REQUIRE(refused.what == "ids: the result has no column \"buyer\": select it, or take it out of "
                            "the struct");
}

TEST_CASE("NULL into what cannot hold it is refused, naming the column", "[pg]")
{
    scene scene;
    connection link = scene.open();
    const statement nulls{.name = "nulls",
                          .sql = "select 1::bigint as id, null::text as buyer, 1::float8 as "
                                 "discount"};

    const auto refused = refusal_of([&] { scene.run(link.query<order>(nulls)); });

    REQUIRE(refused.code == errc::shape);
    REQUIRE(refused.what ==
            "nulls: column \"buyer\" is NULL, not text: read it into a std::optional");
}

TEST_CASE("a single value is read from a single column", "[pg]")
{
    scene scene;
    connection link = scene.open();

    CHECK(scene.run(link.query_one<int>({.name = "one", .sql = "select 1"})) == 1);
    CHECK(scene.run(link.query<int>({.name = "many", .sql = "select generate_series(1, 3)"})) ==
          std::vector{1, 2, 3});
    CHECK(refusal_of([&] {
              scene.run(link.query_one<int>({.name = "two", .sql = "select 1, 2"}));
          }).what == "two: expected one column, got 2: select one, or read the row into a struct");
}

TEST_CASE("a statement without rows says what it did", "[pg]")
{
    scene scene;
    connection link = scene.open();
    scene.run(link.execute({.name = "make", .sql = "create table t(a int)"}));

    const result inserted = scene.run(
        link.execute({.name = "insert", .sql = "insert into t select generate_series(1, $1)"}, 5));
    const result nothing = scene.run(link.execute({.name = "empty", .sql = ""}));

    CHECK(inserted.affected() == 5);
    CHECK(inserted.tag() == "INSERT 0 5");
    CHECK(inserted.empty());
    CHECK(nothing.affected() == 0);
    CHECK(nothing.tag() == "");
}

TEST_CASE("a refused statement leaves the connection usable and says why", "[pg]")
{
    scene scene;
    connection link = scene.open();
    scene.run(link.execute({.name = "make", .sql = "create table t(a int primary key)"}));
    const statement insert{.name = "insert t", .sql = "insert into t values ($1)"};
    scene.run(link.execute(insert, 4711));

    const auto refused = refusal_of([&] { scene.run(link.execute(insert, 4711)); });
    const auto unknown =
        refusal_of([&] { scene.run(link.execute({.name = "typo", .sql = "select lenght('a')"})); });

    CHECK(refused.sqlstate == "23505");
    CHECK(refused.says("insert t: duplicate key"));
    CHECK_FALSE(refused.says("4711"));
    CHECK(unknown.sqlstate == "42883");
    CHECK(unknown.says("hint: "));
    CHECK(scene.run(link.query_one<int>({.name = "one", .sql = "select 1"})) == 1);
}
