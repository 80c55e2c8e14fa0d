// What becomes of a server when the process that started it ends, in every way it can.
#include "holder.hpp"
#include "scratch.hpp"
#include "support/eventually.hpp"
#include "support/psql.hpp"

#include <catch2/catch_test_macros.hpp>

#include <csignal>
#include <sys/stat.h>
#include <unistd.h>

using namespace cuebox::embedded::test;
using cuebox::test::process;
using cuebox::test::psql;

TEST_CASE("a server ends with the program that started it", "[embedded]")
{
    holder holder;
    REQUIRE(psql(holder.conninfo, "select 1") == "1");

    holder.running.close_input();

    REQUIRE(holder.running.wait().exit == 0);
    REQUIRE(holder.all_gone());
}

TEST_CASE("a killed program takes its server and the temporary directory along", "[embedded]")
{
    for (const int signal : {SIGKILL, SIGINT}) {
        holder holder;

        holder.running.signal(signal);

        REQUIRE(holder.running.wait().exit == 128 + signal);
        REQUIRE(holder.all_gone());
    }
}

TEST_CASE("an interrupt from the terminal does not reach the server directly", "[embedded]")
{
    holder holder;

    // The watcher's group is not that of the program, which is what a terminal would signal.
    REQUIRE(::getpgid(holder.watcher) != holder.running.pid());
    REQUIRE(::getpgid(holder.postmaster) == ::getpgid(holder.watcher));
    REQUIRE(::getsid(holder.watcher) == holder.watcher);
    ::kill(holder.watcher, SIGINT);
    ::kill(holder.watcher, SIGTERM);

    REQUIRE(psql(holder.conninfo, "select 1") == "1");
    holder.running.signal_group(SIGINT);
    REQUIRE(holder.all_gone());
}

TEST_CASE("a program killed in a busy moment leaves nothing behind either", "[embedded]")
{
    holder holder;
    process client{"psql", {"-X", "-d", holder.conninfo, "-c", "select pg_sleep(600)"}};
    REQUIRE(cuebox::test::eventually([&] {
        return psql(holder.conninfo, "select 1 from pg_stat_activity "
                                     "where wait_event = 'PgSleep'") == "1";
    }));

    holder.running.signal(SIGKILL);

    REQUIRE(holder.all_gone());
    REQUIRE(client.wait().exit != 0);
}

TEST_CASE("a program killed while its cluster is being made leaves nothing behind", "[embedded]")
{
    const scratch scratch;
    const auto temporary = scratch / "tmp";
    std::filesystem::create_directory(temporary);
    std::filesystem::permissions(temporary, std::filesystem::perms::all);
    process starting{SERVER_HOLDER, {}, {{"TMPDIR", temporary.string()}}};
    const auto initdb_runs = [&] {
        for (const auto& each : std::filesystem::directory_iterator{temporary})
            return std::filesystem::exists(each.path() / "initdb.log");
        return false;
    };
    REQUIRE(cuebox::test::eventually(initdb_runs));

    starting.signal(SIGKILL);

    REQUIRE(starting.wait().exit == 128 + SIGKILL);
    REQUIRE(cuebox::test::eventually([&] { return std::filesystem::is_empty(temporary); }));
}

TEST_CASE("a directory that stays is stopped cleanly when its program is killed", "[embedded]")
{
    const scratch scratch;
    const auto data = (scratch / "data").string();
    {
        holder killed{{data}};
        psql(killed.conninfo, "create table kept as select 42 as n");
        killed.running.signal(SIGKILL);
        REQUIRE(killed.all_gone());
    }
    REQUIRE_FALSE(std::filesystem::exists(data + "/postmaster.pid"));

    const holder again{{data}};

    REQUIRE(psql(again.conninfo, "select n from kept") == "42");
}

TEST_CASE("a program whose watcher was killed still stops its server", "[embedded]")
{
    holder holder;

    ::kill(holder.watcher, SIGKILL);
    REQUIRE(psql(holder.conninfo, "select 1") == "1");
    holder.running.close_input();

    REQUIRE(holder.running.wait().exit == 0);
    REQUIRE(holder.all_gone());
}

TEST_CASE("a server ends with its program though the shell that waits for it is gone", "[embedded]")
{
    for (const bool noted : {true, false}) {
        holder holder;
        ::kill(holder::parent_of(holder.postmaster), SIGKILL);
        if (!noted) // As when it was killed before it knew the pid.
            std::filesystem::resize_file(holder.directory / "postmaster", 0);

        holder.running.signal(SIGKILL);

        REQUIRE(holder.all_gone());
    }
}

TEST_CASE("as root the server runs as an unprivileged user", "[embedded]")
{
    if (::geteuid() != 0)
        SKIP("only root can change users");
    const holder holder;

    struct stat status{};
    REQUIRE(::stat(("/proc/" + std::to_string(holder.postmaster)).c_str(), &status) == 0);

    REQUIRE(status.st_uid != 0);
    REQUIRE(status.st_gid != 0);
}

TEST_CASE("an ordinary user's server is that user's, and root can serve it later", "[embedded]")
{
    if (::geteuid() != 0)
        SKIP("only root can become somebody else");
    const scratch scratch;
    const auto data = (scratch / "data").string();
    {
        holder nobody{{"--reuid=nobody", "--regid=nogroup", "--clear-groups", SERVER_HOLDER, data},
                      "setpriv"};
        struct stat status{};
        REQUIRE(::stat(("/proc/" + std::to_string(nobody.postmaster)).c_str(), &status) == 0);
        REQUIRE(status.st_uid == 65534);
        REQUIRE(psql(nobody.tcp_conninfo, "create table kept as select 42 as n").empty());
        nobody.running.close_input();
        REQUIRE(nobody.running.wait().exit == 0);
        REQUIRE(nobody.all_gone());
    }

    const holder root{{data}};

    REQUIRE(psql(root.conninfo, "select n from kept") == "42");
}
