#include "scratch.hpp"
#include "support/psql.hpp"

#include <cuebox/embedded/server.hpp>

#include <catch2/catch_test_macros.hpp>

#include <future>

using namespace cuebox::embedded;
using namespace cuebox::embedded::test;
using cuebox::test::psql;

namespace {

options quick(const std::filesystem::path& directory)
{
    return {.directory = directory, .settings = {{"fsync", "off"}}};
}

std::string refusal_of_use(const std::filesystem::path& directory)
{
    return refusal([&] {
        const server server{quick(directory)};
        psql(server.conninfo(), "select 1");
    });
}

}

TEST_CASE("a directory keeps what was written to it", "[embedded]")
{
    const scratch scratch;
    {
        const server server{quick(scratch / "data")};
        psql(server.conninfo(), "create table kept as select 42 as n");
    }

    const server again{quick(scratch / "data")};

    REQUIRE(psql(again.conninfo(), "select n from kept") == "42");
    REQUIRE(psql(again.tcp_conninfo(), "select n from kept") == "42");
    REQUIRE(again.log_path() == scratch / "data/cuebox.log");
}

TEST_CASE("two that make the same directory at once do not make it twice", "[embedded]")
{
    const scratch scratch;

    auto racer = std::async(std::launch::async, refusal_of_use, scratch / "data");
    const auto one = refusal_of_use(scratch / "data");
    const auto other = racer.get();

    const std::string fine = "not refused";
    REQUIRE((one == fine || other == fine));
    for (const auto& each : {one, other}) {
        INFO(each);
        REQUIRE((each == fine || each.find("is served by another Postgres") != std::string::npos));
    }
}

TEST_CASE("a directory may be given relative, with a slash, and through a link", "[embedded]")
{
    const scratch scratch;
    std::filesystem::create_directory(scratch / "there");
    std::filesystem::create_directory_symlink(scratch / "there", scratch / "link");
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path(scratch / "");

    {
        const server server{quick("link/")};
    }
    const server again{quick("./there")};

    std::filesystem::current_path(before);
    REQUIRE(again.data_directory() == scratch / "there");
}
