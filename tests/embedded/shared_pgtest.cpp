// Two processes and one directory: the first one runs the server, the others join.
#include "holder.hpp"
#include "scratch.hpp"
#include "support/eventually.hpp"
#include "support/psql.hpp"

#include <cuebox/embedded/account.hpp>
#include <cuebox/embedded/binaries.hpp>
#include <cuebox/embedded/port.hpp>
#include <cuebox/embedded/postmaster_file.hpp>
#include <cuebox/embedded/shared_server.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <algorithm>
#include <fstream>
#include <future>
#include <unistd.h>

using namespace cuebox::embedded;
using namespace cuebox::embedded::test;
using namespace std::chrono_literals;
using Catch::Matchers::ContainsSubstring;
using cuebox::test::eventually;
using cuebox::test::process;
using cuebox::test::psql;

namespace {

options quick(const std::filesystem::path& directory)
{
    return {.directory = directory, .settings = {{"fsync", "off"}}};
}

shared_server share(const std::filesystem::path& directory)
{
    return shared_server{quick(directory)};
}

// A program that runs as the user whom the server runs as.
std::unique_ptr<process> as_owner(const std::filesystem::path& data,
                                  std::vector<std::string> command)
{
    const account owner = server_account(data);
    if (!owner.change)
        return std::make_unique<process>(
            command.front(), std::vector<std::string>(command.begin() + 1, command.end()));
    std::vector<std::string> all{"--reuid=" + std::to_string(owner.uid),
                                 "--regid=" + std::to_string(owner.gid), "--clear-groups"};
    all.insert(all.end(), command.begin(), command.end());
    return std::make_unique<process>("setpriv", all);
}

// What a server that was killed leaves, with a pid that another process has by now.
void leave_postmaster_file(const std::filesystem::path& data, pid_t pid)
{
    std::ofstream{data / "postmaster.pid"} << pid << '\n'
                                           << data.string() << "\n1700000000\n5432\n/tmp\n\n"
                                           << "  1234567         1\nready   \n";
}

}

TEST_CASE("a server that runs in a directory is joined, and left running", "[embedded]")
{
    const scratch scratch;
    holder first{{(scratch / "data").string()}};

    for (int times = 0; times < 2; ++times) {
        const shared_server second = share(scratch / "data");
        REQUIRE(second.joined());
        CHECK(second.joined()->pid == first.postmaster);
        CHECK(second.conninfo() == first.conninfo);
        CHECK(psql(second.conninfo(), "select 1") == "1");
    }

    CHECK(psql(first.conninfo, "select 1") == "1");
    first.running.close_input();
    CHECK(first.running.wait().exit == 0);
    CHECK(first.all_gone());
}

TEST_CASE("a server that was joined stops with its first program all the same", "[embedded]")
{
    for (const bool killed : {false, true}) {
        const scratch scratch;
        holder first{{(scratch / "data").string()}};
        const shared_server second = share(scratch / "data");
        psql(second.conninfo(), "create table kept as select 42 as n");

        if (killed)
            first.running.signal(SIGKILL);
        else
            first.running.close_input();

        CHECK(first.all_gone());
        CHECK_FALSE(find_running(scratch / "data", 0ms));
        const shared_server third = share(scratch / "data");
        CHECK_FALSE(third.joined());
        CHECK(psql(third.conninfo(), "select n from kept") == "42");
    }
}

TEST_CASE("programs that come to a new directory at once share one server", "[embedded]")
{
    const scratch scratch;

    std::vector<std::future<shared_server>> coming;
    for (int i = 0; i < 4; ++i)
        coming.push_back(std::async(std::launch::async, share, scratch / "data"));
    std::vector<shared_server> all;
    for (auto& each : coming)
        all.push_back(each.get());

    CHECK(std::ranges::count(all, nullptr, &shared_server::joined) == 1);
    for (const shared_server& each : all)
        CHECK(psql(each.conninfo(), "select 1") == "1");
}

TEST_CASE("a server whose postmaster was killed is started anew, not joined", "[embedded]")
{
    const scratch scratch;
    holder first{{(scratch / "data").string()}};
    psql(first.conninfo, "create table kept as select 42 as n");

    ::kill(first.postmaster, SIGKILL);
    REQUIRE(wait_for_end(first.postmaster, 30s));
    REQUIRE(std::filesystem::exists(scratch / "data/postmaster.pid"));

    CHECK_FALSE(find_running(scratch / "data", 0ms));
    const shared_server second = share(scratch / "data");
    CHECK_FALSE(second.joined());
    CHECK(psql(second.conninfo(), "select n from kept") == "42");
    // The first program's end is no longer the server's.
    first.running.close_input();
    CHECK(first.running.wait().exit == 0);
    CHECK(psql(second.conninfo(), "select n from kept") == "42");
}

TEST_CASE("a pid that is another process's by now is not taken for a server", "[embedded]")
{
    const scratch scratch;
    const auto data = scratch / "data";
    {
        const server made{quick(data)};
    }
    const auto other = as_owner(data, {"sleep", "600"});
    leave_postmaster_file(data, other->pid());

    CHECK_FALSE(find_running(data, 0ms));
    CHECK_THAT(refusal([&] { const server refused{quick(data)}; }),
               ContainsSubstring("is that of a process which does not serve"));

    std::filesystem::remove(data / "postmaster.pid");
    CHECK_FALSE(share(data).joined());
}

TEST_CASE("a copy of a directory is not taken for the one that is served", "[embedded]")
{
    const scratch scratch;
    const holder first{{(scratch / "data").string()}};

    REQUIRE(
        cuebox::test::run("cp", {"-a", (scratch / "data").string(), (scratch / "copy").string()})
            .exit == 0);

    CHECK(find_running(scratch / "data", 0ms));
    CHECK_FALSE(find_running(scratch / "copy", 0ms));
}

TEST_CASE("a server that is stopping is waited for, and not joined", "[embedded]")
{
    const scratch scratch;
    const auto data = scratch / "data";
    const holder first{{data.string()}};
    process client{"psql", {"-X", "-d", first.conninfo, "-c", "select pg_sleep(600)"}};
    REQUIRE(eventually([&] {
        return psql(first.conninfo, "select 1 from pg_stat_activity "
                                    "where wait_event = 'PgSleep'") == "1";
    }));

    ::kill(first.postmaster, SIGTERM); // Which waits for the client.
    REQUIRE(eventually([&] { return read_postmaster_file(data)->status == "stopping"; }));
    CHECK_THAT(refusal([&] { find_running(data, 0ms); }), ContainsSubstring("is stopping"));
    auto second = std::async(std::launch::async, share, data);
    client.signal(SIGINT);

    CHECK_FALSE(second.get().joined());
    CHECK(wait_for_end(first.postmaster, 0ms));
}

TEST_CASE("a server that Cuebox did not start is left to those who did", "[embedded]")
{
    const scratch scratch;
    const auto data = scratch / "data";
    {
        const server made{quick(data)};
    }
    const auto postgres = (find_binaries().directory / "postgres").string();
    const auto foreign =
        as_owner(data, {postgres, "-D", data.string(), "-p", std::to_string(free_port()), "-k",
                        data.parent_path().string(), "-c", "listen_addresses="});
    REQUIRE(eventually([&] {
        const auto file = read_postmaster_file(data);
        return file && file->ready();
    }));

    const std::string why = refusal([&] { share(data); });

    CHECK_THAT(why, ContainsSubstring("Cuebox did not start, with the pid " +
                                      std::to_string(foreign->pid())));
    CHECK_THAT(why, ContainsSubstring("host=" + data.parent_path().string() + " port="));
    CHECK_FALSE(is_gone(foreign->pid()));
    foreign->signal(SIGINT);
    CHECK(foreign->wait().exit == 0);
}

TEST_CASE("a directory that nobody serves has no server to find, and none is made", "[embedded]")
{
    const scratch scratch;

    CHECK_FALSE(find_running(scratch / "none", 0ms));
    CHECK_FALSE(std::filesystem::exists(scratch / "none"));
    std::filesystem::create_directory(scratch / "empty");
    CHECK_FALSE(find_running(scratch / "empty", 0ms));
    std::ofstream{scratch / "empty/postmaster.pid"};
    CHECK_FALSE(find_running(scratch / "empty", 0ms));
}
