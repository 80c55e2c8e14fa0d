#include "scene.hpp"

#include <cuebox/pg/copy_in.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;

namespace {

constexpr statement copy{.name = "copy t", .sql = "copy t from stdin (format binary)"};
constexpr statement one{.name = "one", .sql = "select 1"};

awaitable<std::size_t> load(transaction& work, std::int64_t rows)
{
    copy_in rows_in = co_await copy_in::start(work, copy);
    const std::optional<std::string> nothing;
    for (std::int64_t i = 0; i < rows; ++i) {
        const std::string text = "row " + std::to_string(i);
        co_await rows_in.write(i, text, nothing);
    }
    const std::size_t taken = co_await rows_in.finish();
    co_return taken;
}

class shop : public scene
{
public:
    shop() { see("create table t(a bigint primary key, b text, c text)"); }

    connection link = open();
};

}

TEST_CASE("a hundred thousand rows are copied and committed", "[pg]")
{
    shop shop;
    transaction work{shop.link};

    const std::size_t taken = shop.run(load(work, 100'000));
    REQUIRE(shop.see("select count(*) from t") == "0");
    shop.run(work.commit());

    REQUIRE(taken == 100'000);
    REQUIRE(shop.see("select count(*), sum(a), count(c), max(b) from t") ==
            "100000|4999950000|0|row 99999");
}

TEST_CASE("a copy of no rows is one", "[pg]")
{
    shop shop;
    transaction work{shop.link};

    REQUIRE(shop.run(load(work, 0)) == 0);
    shop.run(work.commit());
}

TEST_CASE("a row the server refuses fails the copy; the transaction can be rolled back", "[pg]")
{
    shop shop;
    shop.see("insert into t values (5, '', null)");
    transaction work{shop.link};

    const auto refused = refusal_of([&] { shop.run(load(work, 50'000)); });

    REQUIRE(refused.sqlstate == "23505");
    REQUIRE(refused.says("copy t: "));
    shop.run(work.rollback());
    REQUIRE(shop.run(shop.link.query_one<int>(one)) == 1);
    REQUIRE(shop.see("select count(*) from t") == "1");
}

TEST_CASE("a copy that cannot start says why", "[pg]")
{
    shop shop;
    const statement nowhere{.name = "nowhere", .sql = "copy nowhere from stdin (format binary)"};
    transaction first{shop.link};
    REQUIRE(refusal_of([&] { shop.run(copy_in::start(first, nowhere)); }).sqlstate == "42P01");
    shop.run(first.rollback());

    transaction second{shop.link};
    REQUIRE(refusal_of([&] { shop.run(copy_in::start(second, one)); }).what ==
            "one: it is not a COPY ... FROM STDIN");
    shop.run(second.rollback());

    REQUIRE(shop.run(shop.link.query_one<int>(one)) == 1);
}

TEST_CASE("after a copy that does not parse the transaction is one all the same", "[pg]")
{
    shop shop;
    const statement malformed{.name = "malformed", .sql = "copy t from stdin (format"};
    const statement insert{.name = "insert", .sql = "insert into t values (1, '', null)"};
    transaction work{shop.link};

    REQUIRE(refusal_of([&] { shop.run(copy_in::start(work, malformed)); }).sqlstate == "42601");
    shop.run(work.execute(insert));
    REQUIRE(shop.link.in_transaction());
    shop.run(work.rollback());

    REQUIRE(shop.see("select count(*) from t") == "0");
    REQUIRE_FALSE(shop.link.broken());
}

TEST_CASE("a commit refused during a copy loses nothing of what was to go with it", "[pg]")
{
    shop shop;
    const statement insert{.name = "insert", .sql = "insert into t values (7, '', null)"};
    transaction work{shop.link};
    work.add_to_commit(insert, {});
    copy_in rows = shop.run(copy_in::start(work, copy));

    REQUIRE(refusal_of([&] { shop.run(work.commit()); }).what ==
            "commit: a COPY is going on: finish it first");
    shop.run(rows.finish());
    shop.run(work.commit());

    REQUIRE(shop.see("select a from t") == "7");
}

TEST_CASE("what was sent along is there before a copy begins", "[pg]")
{
    shop shop;
    const statement insert{.name = "insert", .sql = "insert into t values (7, '', null)"};
    const statement all{.name = "all", .sql = "copy t from stdin (format binary)"};
    transaction work{shop.link};
    work.send_along(insert);

    copy_in rows = shop.run(copy_in::start(work, all));
    CHECK(shop.link.in_transaction());
    shop.run(rows.finish());
    shop.run(work.commit());

    REQUIRE(shop.see("select a from t") == "7");
}

TEST_CASE("a copy dropped open takes the connection with it, and nothing is stored", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    {
        copy_in rows = shop.run(copy_in::start(work, copy));
        shop.run(rows.write(std::int64_t{1}, "a", "b"));
    }

    REQUIRE(shop.link.broken());
    REQUIRE(refusal_of([&] { shop.run(work.commit()); }).says("a COPY was dropped open on it"));
    REQUIRE(eventually([&shop] { return shop.backends() == 0; }));
    REQUIRE(shop.see("select count(*) from t") == "0");
}

TEST_CASE("while a copy goes on the connection does nothing else", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    copy_in rows = shop.run(copy_in::start(work, copy));

    REQUIRE(refusal_of([&] { shop.run(work.execute(one)); }).what ==
            "one: a COPY is going on: finish it first");
    shop.run(rows.write(std::int64_t{1}, "a", "b"));
    REQUIRE(shop.run(rows.finish()) == 1);
    REQUIRE(refusal_of([&] { shop.run(rows.finish()); }).code == errc::usage);
    shop.run(work.commit());
    REQUIRE(shop.see("select * from t") == "1|a|b");
}

TEST_CASE("a refused row is left out whole; those around it are stored", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    copy_in rows = shop.run(copy_in::start(work, copy));
    const std::string cut("s3cret\0", 7);

    shop.run(rows.write(std::int64_t{1}, "a", "b"));
    const auto plain = refusal_of([&] { shop.run(rows.write(std::int64_t{2}, "a", cut)); });
    const auto maybe =
        refusal_of([&] { shop.run(rows.write(std::int64_t{3}, "a", std::optional(cut))); });
    shop.run(rows.write(std::int64_t{4}, "a", "b"));
    shop.run(rows.finish());
    shop.run(work.commit());

    REQUIRE(plain.what == "copy t: row 2: a text contains a NUL byte: Postgres cannot store it");
    REQUIRE(maybe.code == errc::usage);
    REQUIRE(shop.see("select string_agg(a::text, ',' order by a) from t") == "1,4");
}
