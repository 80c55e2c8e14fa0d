#include <cuebox/embedded/conninfo.hpp>
#include <cuebox/embedded/error.hpp>
#include <cuebox/embedded/options.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::embedded;

TEST_CASE("'embedded' is a temporary server, 'embedded:DIR' one that stays", "[embedded]")
{
    REQUIRE(parse("embedded"));
    REQUIRE(parse("embedded")->directory.empty());
    REQUIRE(parse("embedded:/var/lib/x")->directory == "/var/lib/x");
    REQUIRE(parse("embedded:rel/x y:z")->directory == "rel/x y:z");
}

TEST_CASE("what does not ask for an embedded server is left to others", "[embedded]")
{
    for (const auto* text : {"", "embed", "embeddedx", "embedded/x", "Embedded",
                             "postgresql://embedded:x@host/db", "host=embedded"})
        CHECK_FALSE(parse(text));
}

TEST_CASE("'embedded:' without a directory is refused", "[embedded]")
{
    REQUIRE_THROWS_AS(parse("embedded:"), error);
}

TEST_CASE("settings that are the server's own business are refused by name", "[embedded]")
{
    for (const auto* name : {"port", "listen_addresses", "hba_file", "unix_socket_directories"})
        CHECK_THROWS_AS(validate({.settings = {{name, "x"}}}), error);
    for (const auto* name : {"", "fsync = off", "-D", "a'b"})
        CHECK_THROWS_AS(validate({.settings = {{name, "x"}}}), error);
    REQUIRE_NOTHROW(validate({.settings = {{"fsync", "off"}, {"cuebox.role", "it's"}}}));
}

TEST_CASE("a conninfo quotes what needs it", "[embedded]")
{
    REQUIRE(print_conninfo({{"host", "/tmp/x"}, {"dbname", "a b'c\\d"}, {"password", ""}}) ==
            R"(host=/tmp/x dbname='a b\'c\\d' password='')");
}
