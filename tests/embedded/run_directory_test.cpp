#include "scratch.hpp"

#include <cuebox/embedded/run_directory.hpp>

#include <catch2/catch_test_macros.hpp>

#include <sys/stat.h>

using namespace cuebox::embedded;
using namespace cuebox::embedded::test;

TEST_CASE("what is written into a run directory is the server's alone", "[embedded]")
{
    const account owner = server_account({});
    const run_directory run{owner};

    run.write("letter", "dear");

    struct stat status{};
    REQUIRE(::stat((run.path() / "letter").c_str(), &status) == 0);
    CHECK(status.st_uid == owner.uid);
    CHECK(status.st_gid == owner.gid);
    CHECK((status.st_mode & 0777) == 0600);
    CHECK(status.st_size == 4);
}

TEST_CASE("a name that is taken in a run directory is refused, a link included", "[embedded]")
{
    const scratch scratch;
    const run_directory run{server_account({})};
    run.write("letter", "dear");
    std::filesystem::create_symlink(scratch / "elsewhere", run.path() / "link");

    CHECK(refusal([&] { run.write("letter", "x"); }) != "not refused");
    CHECK(refusal([&] { run.write("link", "x"); }) != "not refused");
    CHECK_FALSE(std::filesystem::exists(scratch / "elsewhere"));
}
