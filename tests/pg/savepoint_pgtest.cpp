#include "scene.hpp"

#include <cuebox/pg/transaction.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;

namespace {

constexpr statement insert{.name = "insert", .sql = "insert into t values ($1)"};
constexpr statement fail{.name = "fail", .sql = "select 1 / 0"};

class shop : public scene
{
public:
    shop() { see("create table t(a int)"); }

    std::string rows() const { return see("select string_agg(a::text, ',' order by a) from t"); }

    connection link = open();
};

}

TEST_CASE("what a savepoint undoes is gone, a failure included; the rest commits", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    shop.run(work.execute(insert, 1));

    savepoint part = shop.run(work.savepoint());
    shop.run(work.execute(insert, 2));
    REQUIRE(refusal_of([&] { shop.run(work.execute(fail)); }).code == errc::server);
    shop.run(part.rollback());
    shop.run(work.execute(insert, 3));
    shop.run(work.commit());

    REQUIRE(shop.rows() == "1,3");
}

TEST_CASE("a savepoint may come first and be released", "[pg]")
{
    shop shop;
    transaction work{shop.link};

    savepoint part = shop.run(work.savepoint());
    shop.run(work.execute(insert, 1));
    shop.run(part.release());
    shop.run(work.commit());

    REQUIRE(shop.rows() == "1");
}

TEST_CASE("savepoints nest, the last one opened ends first", "[pg]")
{
    shop shop;
    transaction work{shop.link};

    savepoint outer = shop.run(work.savepoint());
    shop.run(work.execute(insert, 1));
    savepoint inner = shop.run(work.savepoint());
    shop.run(work.execute(insert, 2));
    REQUIRE(refusal_of([&] { shop.run(outer.release()); }).what ==
            "savepoint: an inner savepoint is still open: end it first");
    shop.run(inner.rollback());
    shop.run(outer.release());
    savepoint again = shop.run(work.savepoint());
    shop.run(work.execute(insert, 3));
    shop.run(again.release());
    shop.run(work.commit());

    REQUIRE(shop.rows() == "1,3");
}

TEST_CASE("a savepoint ends once, and before its transaction commits", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    savepoint part = shop.run(work.savepoint());

    CHECK(refusal_of([&] { shop.run(work.commit()); }).what ==
          "commit: a savepoint is still open: release it or roll it back");
    shop.run(part.release());
    CHECK(refusal_of([&] { shop.run(part.release()); }).what == "savepoint: it has ended already");
    shop.run(work.commit());
    CHECK_FALSE(shop.link.broken());
}

TEST_CASE("a failed savepoint cannot be released, and can still be rolled back", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    savepoint part = shop.run(work.savepoint());
    REQUIRE(refusal_of([&] { shop.run(work.execute(fail)); }).code == errc::server);

    REQUIRE(refusal_of([&] { shop.run(part.release()); }).sqlstate == "25P02");
    shop.run(part.rollback());
    shop.run(work.execute(insert, 1));
    shop.run(work.commit());

    REQUIRE(shop.rows() == "1");
}

TEST_CASE("a savepoint dropped open takes the connection with it", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    {
        savepoint dropped = shop.run(work.savepoint());
        shop.run(work.execute(insert, 1));
    }

    REQUIRE(shop.link.broken());
    const auto refused = refusal_of([&] { shop.run(work.commit()); });
    REQUIRE(refused.code == errc::lost); // Nothing was committed, and that is known.
    REQUIRE(refused.says("a savepoint was dropped open on it"));
    REQUIRE(shop.rows().empty());
}

TEST_CASE("rolling the transaction back ends its savepoints", "[pg]")
{
    shop shop;
    transaction work{shop.link};
    {
        savepoint part = shop.run(work.savepoint());
        shop.run(work.execute(insert, 1));
        shop.run(work.rollback());
    }

    REQUIRE_FALSE(shop.link.broken());
    REQUIRE(shop.rows().empty());
}
