#include <cuebox/handlers/kinds/statement_check.hpp>

#include <catch2/catch_test_macros.hpp>

using cuebox::handlers::why_not_in_delivery;

TEST_CASE("a statement that reads or writes rows may be a handler's", "[handlers]")
{
    for (const char* sql :
         {"select 1", "INSERT INTO t VALUES ($1)", "update t set n = 1", "delete from t",
          "merge into t using s on true when matched then do nothing",
          "with w as (select 1) table w", "values (1)", "call tally($3)", "truncate t",
          "refresh materialized view totals", "(select 1) union select 2", "-- commit\nselect 1",
          "/* begin /* commit */ */ select 1", "; select 1"})
        CHECK(why_not_in_delivery(sql) == "");
}

TEST_CASE("a statement that would end the delivery's transaction is refused", "[handlers]")
{
    for (const char* sql : {"commit", "BEGIN", "start transaction", "end", "rollback", "abort",
                            "savepoint a", "release a", "/* */ -- x\n Commit"})
        CHECK(why_not_in_delivery(sql).starts_with("begins or ends a transaction: leave it out"));
}

TEST_CASE("a statement of the session, and one that is none, is refused", "[handlers]")
{
    CHECK(why_not_in_delivery("copy t from stdin").starts_with("is copy, which a delivery's"));
    for (const char* sql : {"listen a", "set search_path to x", "discard all", "vacuum"})
        CHECK(why_not_in_delivery(sql).find("transaction cannot take") != std::string::npos);
    for (const char* sql : {"", " \n", "-- nothing", "/* nothing", ";"})
        CHECK(why_not_in_delivery(sql).starts_with("is empty: "));
}
