#include "refusal.hpp"

#include <cuebox/pg/conninfo.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::detail;
using namespace cuebox::pg::test;

namespace {

std::string targets_of(const std::string& text)
{
    std::string all;
    for (const auto& each : parse_conninfo({.conninfo = text}).targets)
        all += each.host + "|" + each.address + "|" + each.port + " ";
    return all;
}

std::string setting(const std::string& text, std::string_view key)
{
    const auto info = parse_conninfo({.conninfo = text});
    const auto* found = info.find(key);
    return found ? *found : "none";
}

}

TEST_CASE("hosts and ports pair up as libpq pairs them", "[pg]")
{
    CHECK(targets_of("host=a port=1") == "a||1 ");
    CHECK(targets_of("host=a,b port=1") == "a||1 b||1 ");
    CHECK(targets_of("host=a,b port=1,2") == "a||1 b||2 ");
    CHECK(targets_of("host=a,b,c port=1,,3") == "a||1 b|| c||3 ");
    CHECK(targets_of("hostaddr=10.0.0.1,10.0.0.2 port=1") == "|10.0.0.1|1 |10.0.0.2|1 ");
    CHECK(targets_of("host=a,b hostaddr=10.0.0.1,10.0.0.2 port=1,2") ==
          "a|10.0.0.1|1 b|10.0.0.2|2 ");
    CHECK(targets_of("postgresql://u@a:1,b:2/shop") == "a||1 b||2 ");
    CHECK(targets_of("postgresql://u@[::1]:7/shop") == "::1||7 ");
    CHECK(targets_of("host=/run/postgresql port=1") == "/run/postgresql||1 ");
}

TEST_CASE("as many ports as hosts, or one", "[pg]")
{
    const auto refused = refusal_of([] { targets_of("host=a,b,c port=1,2"); });

    REQUIRE(refused.code == errc::connect);
    REQUIRE(refused.what == "the database URL names 2 ports for 3 hosts: give one port, or one for "
                            "each host");
}

TEST_CASE("a silent peer is found out, unless the conninfo says otherwise", "[pg]")
{
    CHECK(setting("host=a", "keepalives_idle") == "5");
    CHECK(setting("host=a", "keepalives_interval") == "3");
    CHECK(setting("host=a", "keepalives_count") == "3");
    CHECK(setting("host=a", "tcp_user_timeout") == "15000");
    CHECK(setting("host=a keepalives_idle=60", "keepalives_idle") == "60");
    CHECK(setting("host=a tcp_user_timeout=7", "tcp_user_timeout") == "7");
}

TEST_CASE("the application has a name and text is UTF-8", "[pg]")
{
    CHECK(setting("host=a", "fallback_application_name") == "cuebox");
    CHECK(setting("host=a application_name=mine", "application_name") == "mine");
    CHECK(setting("host=a", "client_encoding") == "UTF8");
}

TEST_CASE("what is not found is none, and a default does not replace", "[pg]")
{
    conninfo info;

    info.set_default("a", "1");
    info.set_default("a", "2");
    info.set_default("empty", "");

    REQUIRE(*info.find("a") == "1");
    REQUIRE(info.find("empty") == nullptr);
    REQUIRE(info.find("b") == nullptr);
}

TEST_CASE("a service is left to libpq, hosts included", "[pg]")
{
    REQUIRE(targets_of("service=shop") == "|| ");
    REQUIRE(setting("service=shop", "target_session_attrs") == "none");
}

TEST_CASE("a conninfo that does not parse never shows its password", "[pg]")
{
    for (const std::string text :
         {"postgresql://u:s3cret%zz@host/db", "host=a password='s3cret", "password=s3cret host",
          "postgresql://u:s3cret@host/db?nonsense=s3cret", "s3cret", "nosuch=s3cret",
          "postgresql://app:p@s3cret@db.example/shop", "postgres://app:p@s3,cret@db.example/shop",
          "postgresql://app:s3cret/x@db.example/shop", "postgresql://app:12/s3cret@db.example/shop",
          "host=a port=s3cret", "host=p@s3cret"})
    {
        const auto refused = refusal_of([&text] { parse_conninfo({.conninfo = text}); });

        CHECK(refused.code == errc::connect);
        CHECK(refused.says("write postgresql://user@host:port/database"));
        CHECK(refused.says("percent-encode @ : / in the password"));
        CHECK_FALSE(refused.says("s3"));
        CHECK_FALSE(refusal_of([&text] { describe_database(text); }).says("s3"));
    }
}

TEST_CASE("an @ where it belongs is taken, percent-encoded or not", "[pg]")
{
    CHECK(setting("postgresql://app:p%40s%2F3@db.example/shop", "password") == "p@s/3");
    CHECK(setting("postgresql://app@db.example/sh%40p", "dbname") == "sh@p");
    CHECK(setting("postgresql://app@db.example/shop?password=p@s", "password") == "p@s");
    CHECK(setting("host=a dbname=sh@p", "dbname") == "sh@p");
    CHECK(targets_of("host=@abstract port=1") == "@abstract||1 ");
    CHECK(targets_of("host=/run/postgresql@15 port=1") == "/run/postgresql@15||1 ");
}

TEST_CASE("a database is described without its password", "[pg]")
{
    CHECK(describe_database("postgresql://app:s3cret@db.example:6543/shop") ==
          "shop on db.example:6543 as app");
    CHECK(describe_database("host=a,b port=1,2 dbname=shop user=app password=s3cret") ==
          "shop on a:1, b:2 as app");
    CHECK(describe_database("host=/run/pg port=1 dbname=shop user=app") ==
          "shop on /run/pg:1 as app");
    CHECK(describe_database("postgresql://app@[::1]:7/shop") == "shop on [::1]:7 as app");
    CHECK(describe_database("hostaddr=10.0.0.1 port=7 dbname=shop user=app") ==
          "shop on 10.0.0.1:7 as app");
}

TEST_CASE("names are looked up; addresses, sockets and nothing are not", "[pg]")
{
    CHECK(target{.host = "db.example"}.needs_lookup());
    CHECK(target{.host = "localhost"}.needs_lookup());
    CHECK(target{.host = "1.example"}.needs_lookup());
    CHECK_FALSE(target{.host = "db.example", .address = "10.0.0.1"}.needs_lookup());
    CHECK_FALSE(target{.host = "127.0.0.1"}.needs_lookup());
    CHECK_FALSE(target{.host = "::1"}.needs_lookup());
    CHECK_FALSE(target{.host = "/run/postgresql"}.needs_lookup());
    CHECK_FALSE(target{.host = "@abstract"}.needs_lookup());
    CHECK_FALSE(target{}.needs_lookup());
}
