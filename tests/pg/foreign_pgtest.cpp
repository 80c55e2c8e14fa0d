#include "scene.hpp"

#include <cuebox/pg/foreign.hpp>

#include <catch2/catch_test_macros.hpp>

#include <memory>

using namespace cuebox::pg;
using namespace cuebox::pg::test;

// libpq as someone else's code uses it; its header belongs to the room under test.
extern "C" {
pg_conn* PQconnectdb(const char* conninfo);
void PQfinish(pg_conn* connection);
}

namespace {

struct close_theirs
{
    void operator()(pg_conn* connection) const { PQfinish(connection); }
};

constexpr statement insert{.name = "insert", .sql = "insert into t values ($1, $2) returning a"};

class shop : public scene
{
public:
    shop() { see("create table t(a int primary key, b jsonb)"); }

    void say(const char* sql) { foreign::execute(raw(), {.name = "raw", .sql = sql}, {}); }
    pg_conn* raw() const { return theirs_.get(); }

private:
    std::unique_ptr<pg_conn, close_theirs> theirs_{PQconnectdb(options().conninfo.c_str())};
};

}

TEST_CASE("a statement joins the transaction of someone else's connection", "[pg]")
{
    shop shop;
    REQUIRE_FALSE(foreign::in_transaction(shop.raw()));
    shop.say("begin");
    REQUIRE(foreign::in_transaction(shop.raw()));

    const result inserted =
        foreign::execute(shop.raw(), insert, params(std::in_place, 7, json{R"({"a":1})"}));
    REQUIRE(inserted.only<int>() == 7);
    REQUIRE(shop.see("select count(*) from t") == "0");
    shop.say("commit");

    REQUIRE(shop.see("select * from t") == "7|{\"a\": 1}");
}

TEST_CASE("the server's refusal is thrown, and the transaction is then none to join", "[pg]")
{
    shop shop;
    shop.say("begin");

    const auto refused = refusal_of(
        [&] { foreign::execute(shop.raw(), insert, params(std::in_place, "s3cret", nullptr)); });

    REQUIRE(refused.sqlstate == "22P02");
    REQUIRE(refused.says("insert: "));
    REQUIRE_FALSE(refused.says("s3cret"));
    REQUIRE_FALSE(foreign::in_transaction(shop.raw()));
}

TEST_CASE("someone else's connection that was lost is an error, not a crash", "[pg]")
{
    shop shop;
    shop.see("select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name "
             "= (select current_schema)");

    const auto refused = refusal_of([&shop] { shop.say("select 1"); });

    REQUIRE(refused.code);
    REQUIRE_FALSE(foreign::in_transaction(shop.raw()));
    REQUIRE_FALSE(foreign::in_transaction(nullptr));
}
