#include "refusal.hpp"

#include <cuebox/pg/identifier.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;

TEST_CASE("a quoted identifier is taken verbatim by SQL", "[pg]")
{
    REQUIRE(quote_identifier("orders") == "\"orders\"");
    REQUIRE(quote_identifier("Or ders") == "\"Or ders\"");
    REQUIRE(quote_identifier("a\"; drop table b; --") == "\"a\"\"; drop table b; --\"");
    REQUIRE(quote_identifier("\"") == "\"\"\"\"");
    REQUIRE(quote_identifier("über") == "\"über\"");
}

TEST_CASE("an identifier is neither empty nor holds a NUL byte", "[pg]")
{
    using namespace std::string_view_literals;

    for (const auto name : {""sv, "a\0b"sv, "\0"sv})
        CHECK(refusal_of([name] { quote_identifier(name); }).code == errc::usage);
}
