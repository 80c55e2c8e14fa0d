#include "refusal.hpp"

#include <cuebox/pg/error.hpp>
#include <cuebox/pg/outcome.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::detail;
using namespace cuebox::pg::test;

TEST_CASE("an error names the statement and what went wrong", "[pg]")
{
    const error named(errc::lost, "insert order", "the connection was lost");
    const error unnamed(errc::connect, "", "cannot connect");

    REQUIRE(std::string(named.what()) == "insert order: the connection was lost");
    REQUIRE(named.code() == errc::lost);
    REQUIRE(named.statement() == "insert order");
    REQUIRE(named.message() == "the connection was lost");
    REQUIRE(named.sqlstate().empty());
    REQUIRE(std::string(unnamed.what()) == "cannot connect");
}

TEST_CASE("a refusal of the server carries its SQLSTATE, hint and constraint", "[pg]")
{
    const error refused("insert order",
                        {.sqlstate = "23505",
                         .message = "duplicate key value violates unique constraint "
                                    "\"orders_pkey\"",
                         .hint = "look again",
                         .constraint = "orders_pkey"});

    REQUIRE(std::string(refused.what()) ==
            "insert order: duplicate key value violates unique constraint \"orders_pkey\" "
            "(SQLSTATE 23505); hint: look again");
    REQUIRE(refused.code() == errc::server);
    REQUIRE(refused.constraint() == "orders_pkey");
    REQUIRE(refused.hint() == "look again");
    REQUIRE(refused.in_class("23"));
    REQUIRE_FALSE(refused.in_class("22"));
}

TEST_CASE("data errors lose the value they quote, others keep their names", "[pg]")
{
    CHECK(without_values("22P02", "invalid input syntax for type integer: \"s3cret\"") ==
          "invalid input syntax for type integer");
    CHECK(without_values("22P02", "invalid input value for enum mood: \"a: \"s3cret\"\"") ==
          "invalid input value for enum mood");
    CHECK(without_values("22003", "value \"99 \"9\" is out of range for type integer") ==
          "value \"...\" is out of range for type integer");
    CHECK(without_values("22021", "invalid byte sequence for encoding \"UTF8\": 0xff") ==
          "invalid byte sequence for encoding \"UTF8\": 0xff");
    CHECK(without_values("22007", "invalid value \"s3\" for \"YYYY\": \"cret\"") ==
          "invalid value \"...\"");
    CHECK(without_values("22012", "division by zero") == "division by zero");
    CHECK(without_values("42P01", "relation \"orders\" does not exist") ==
          "relation \"orders\" does not exist");
    CHECK(without_values("42601", "syntax error at or near: \"x\"") ==
          "syntax error at or near: \"x\"");
    CHECK(without_values("22000", "") == "");
}

TEST_CASE("of a data error in another language, or quoted oddly, no value is kept", "[pg]")
{
    for (const std::string message :
         {"ungültige Eingabesyntax für Typ integer: »s3cret«",
          "Wert »s3cret« ist auf die Spalte nicht anwendbar", "valor «s3cret» fuera de rango",
          "syntaxe en entrée invalide pour le type integer : « s3cret »", "wartość „s3cret”",
          "Wert »s3cret: \"x\"«", "a lonely \" quote before s3cret",
          "value \"s3cret: \"x\" is out of range"})
        CHECK(without_values("22P02", message) == "invalid data");
    CHECK(without_values("22P02", "invalid input syntax for type integer: \"s3crét\"") ==
          "invalid input syntax for type integer");
    CHECK(without_values("42P01", "Relation »bestellung« existiert nicht") ==
          "Relation »bestellung« existiert nicht");
}

TEST_CASE("an outcome is a result, an error, or skipped", "[pg]")
{
    outcome done;
    outcome failed;
    outcome skipped;
    done.succeed(result());
    failed.fail(error("b", {.sqlstate = "22012", .message = "division by zero"}));

    REQUIRE(done.ok());
    REQUIRE(done.get().empty());
    REQUIRE_FALSE(failed.ok());
    REQUIRE_FALSE(failed.skipped());
    REQUIRE(refusal_of([&failed] { failed.get(); }).sqlstate == "22012");
    REQUIRE(skipped.skipped());
    REQUIRE(refusal_of([&skipped] { skipped.take(); }).what ==
            "skipped because an earlier statement of its segment failed");
}
