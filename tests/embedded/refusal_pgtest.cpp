#include "scratch.hpp"
#include "support/process.hpp"
#include "support/psql.hpp"

#include <cuebox/embedded/server.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <fstream>
#include <unistd.h>

using namespace cuebox::embedded;
using namespace cuebox::embedded::test;
using Catch::Matchers::ContainsSubstring;
using cuebox::test::psql;

namespace {

options quick(const std::filesystem::path& directory)
{
    return {.directory = directory, .settings = {{"fsync", "off"}}};
}

std::string refusal_of(const std::filesystem::path& directory)
{
    return refusal([&] { const server refused{quick(directory)}; });
}

}

TEST_CASE("a directory with something else in it is refused and left alone", "[embedded]")
{
    const scratch scratch;
    std::filesystem::create_directory(scratch / "data");
    std::ofstream{scratch / "data/letter"} << "dear";

    REQUIRE_THAT(refusal_of(scratch / "data"), ContainsSubstring("neither empty nor a Postgres"));

    REQUIRE(std::filesystem::exists(scratch / "data/letter"));
}

TEST_CASE("a file is not a directory", "[embedded]")
{
    const scratch scratch;
    std::ofstream{scratch / "data"} << "dear";

    REQUIRE_THAT(refusal_of(scratch / "data"), ContainsSubstring("is not a directory"));
}

TEST_CASE("a cluster of another major version is refused with both versions", "[embedded]")
{
    const scratch scratch;
    {
        const server server{quick(scratch / "data")};
    }
    std::ofstream{scratch / "data/PG_VERSION"} << "9\n";

    const auto why = refusal_of(scratch / "data");

    REQUIRE_THAT(why, ContainsSubstring("cluster of PostgreSQL 9, but"));
    REQUIRE_THAT(why, ContainsSubstring("CUEBOX_POSTGRES_BINDIR"));
}

TEST_CASE("a directory that is being served is refused with the pid", "[embedded]")
{
    const scratch scratch;
    const server server{quick(scratch / "data")};

    REQUIRE_THAT(refusal_of(scratch / "data"),
                 ContainsSubstring("with the pid " + std::to_string(server.pid())));

    REQUIRE(psql(server.conninfo(), "select 1") == "1");
}

TEST_CASE("a cluster made by others is served over the socket alone", "[embedded]")
{
    const scratch scratch;
    {
        const server server{quick(scratch / "data")};
    }
    std::filesystem::remove(scratch / "data/cuebox.password");

    const server server{quick(scratch / "data")};

    REQUIRE(psql(server.conninfo(), "show listen_addresses").empty());
    REQUIRE_THAT(refusal([&] { (void)server.tcp_conninfo(); }), ContainsSubstring("by others"));
}

TEST_CASE("a server that does not start says what is in its log", "[embedded]")
{
    const options options{.settings = {{"no_such_setting", "1"}}};

    REQUIRE_THAT(refusal([&] { const server refused{options}; }),
                 ContainsSubstring("unrecognized configuration parameter \"no_such_setting\""));
}

TEST_CASE("missing binaries are named with the variable that points at them", "[embedded]")
{
    const auto done =
        cuebox::test::run(SERVER_HOLDER, {}, "", {{"CUEBOX_POSTGRES_BINDIR", "/nowhere"}});

    REQUIRE(done.exit == 1);
    REQUIRE_THAT(done.err, ContainsSubstring("CUEBOX_POSTGRES_BINDIR is /nowhere"));
}

TEST_CASE("as root, a directory that the server's user cannot reach is refused", "[embedded]")
{
    if (::geteuid() != 0)
        SKIP("only root can change users");
    const scratch scratch;
    std::filesystem::create_directory(scratch / "closed");
    std::filesystem::permissions(scratch / "closed", std::filesystem::perms::owner_all);

    const auto why = refusal_of(scratch / "closed/new/data");

    REQUIRE_THAT(why, ContainsSubstring("cannot enter " + (scratch / "closed").string()));
    REQUIRE_FALSE(std::filesystem::exists(scratch / "closed/new"));
}
