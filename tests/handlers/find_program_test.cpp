#include "embedded/scratch.hpp"

#include <cuebox/handlers/kinds/find_program.hpp>

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <fstream>

using cuebox::handlers::why_not_runnable;
namespace fs = std::filesystem;

namespace {

std::string write_script(const fs::path& path, std::string_view text, bool executable = true)
{
    std::ofstream(path) << text;
    fs::permissions(path, executable ? fs::perms::owner_all : fs::perms::owner_read);
    return path.string();
}

bool says(const std::string& why, std::string_view part)
{
    return why.find(part) != std::string::npos;
}

}

TEST_CASE("a program is found by its path or in PATH, as it will be run", "[handlers]")
{
    const cuebox::embedded::test::scratch files;

    CHECK(why_not_runnable("sh") == "");
    CHECK(why_not_runnable("/bin/sh") == "");
    CHECK(why_not_runnable(write_script(files / "good", "#!/bin/sh\n")) == "");
    CHECK(why_not_runnable(write_script(files / "env", "#! /usr/bin/env sh\n")) == "");
}

TEST_CASE("a program that could not be started is told with the reason", "[handlers]")
{
    const cuebox::embedded::test::scratch files;

    CHECK(why_not_runnable("/no/such") ==
          "there is no file \"/no/such\": give the path of the program");
    CHECK(why_not_runnable("no-such-program") ==
          "there is no program \"no-such-program\" in PATH: install it, or give its path with a /");
    CHECK(says(why_not_runnable("/tmp"), "\"/tmp\" is no file that this user may execute"));
    CHECK(says(why_not_runnable(write_script(files / "asks", "#!/no/such -x\n")),
               "asks for the interpreter \"/no/such\", which cannot be run"));
    CHECK(says(why_not_runnable(write_script(files / "dos", "#!/bin/sh\r\n")),
               "ends with a carriage return"));
    CHECK(says(why_not_runnable(write_script(files / "plain", "#!/bin/sh\n", false)),
               "is no file that this user may execute"));
}
