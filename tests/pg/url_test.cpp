#include "refusal.hpp"

#include <cuebox/pg/url.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;

namespace {

std::string whole(std::string_view conninfo)
{
    return print_url(conninfo, passwords::kept);
}

std::string open_part(std::string_view conninfo)
{
    return print_url(conninfo, passwords::left_out);
}

}

TEST_CASE("a conninfo is printed as a URL that says the same", "[pg]")
{
    CHECK(whole("host=/tmp/cuebox-Xy port=5544 user=postgres dbname=postgres") ==
          "postgresql://postgres@/postgres?host=/tmp/cuebox-Xy&port=5544");
    CHECK(whole("postgres://app@db.example:5433/shop?sslmode=require") ==
          "postgresql://app@db.example:5433/shop?sslmode=require");
    CHECK(whole("host=db.example") == "postgresql://db.example/");
    CHECK(whole("postgresql://u@a:1,b:2/shop") == "postgresql://u@/shop?host=a,b&port=1,2");
    CHECK(whole("postgresql://u@[::1]:7/shop") == "postgresql://u@/shop?host=::1&port=7");
    CHECK(whole("service=shop") == "postgresql:///?service=shop");
    CHECK(whole(R"(dbname='it\'s' user='a b' host='/tmp/x y')") ==
          "postgresql://a%20b@/it%27s?host=/tmp/x%20y");
    for (const char* each :
         {"postgresql://u@a:1,b:2/shop", "host=/a user='x@y:z/' password='%&?=#'",
          "password=alone host=h", "host=a options='-c x=y'"})
        CHECK(whole(whole(each)) == whole(each));
}

TEST_CASE("a URL without its passwords still leads to the database", "[pg]")
{
    CHECK(has_password("postgresql://app:secret@db/shop"));
    CHECK(has_password("host=db sslpassword=secret"));
    CHECK_FALSE(has_password("postgresql://app@db/shop"));

    CHECK(open_part("postgresql://app:secret@db/shop") == "postgresql://app@db/shop");
    CHECK(open_part("postgresql://app@db/shop?password=secret&sslpassword=s") ==
          "postgresql://app@db/shop");
    CHECK(open_part("host=db password=secret") == "postgresql://db/");
    CHECK(whole("postgresql://app:p%40ss@db/shop") == "postgresql://app:p%40ss@db/shop");
    CHECK(whole("host=db password=secret") == "postgresql://db/?password=secret");
}

TEST_CASE("a password that spills over in a URL is not printed as a host", "[pg]")
{
    const auto refused = refusal_of([] { open_part("postgresql://app:se@cret@db/shop"); });

    CHECK(refused.code == errc::connect);
    CHECK_FALSE(refused.says("cret"));
}
