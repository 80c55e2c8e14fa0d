#include "scratch.hpp"
#include "support/psql.hpp"

#include <cuebox/embedded/platform.hpp>
#include <cuebox/embedded/server.hpp>

#include <catch2/catch_test_macros.hpp>

#include <arpa/inet.h>
#include <csignal>
#include <fstream>
#include <iterator>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace cuebox::embedded;
using namespace cuebox::embedded::test;
using cuebox::test::psql;
using namespace std::chrono_literals;

namespace {

options quick(std::filesystem::path directory = {})
{
    return {.directory = std::move(directory), .settings = {{"fsync", "off"}}};
}

// Listens on a port of 127.0.0.1, as somebody else's server would.
struct port_taker
{
    explicit port_taker(int port)
    {
        const int on = 1;
        ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(static_cast<std::uint16_t>(port));
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        REQUIRE(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0);
        REQUIRE(::listen(socket.get(), 1) == 0);
    }

    descriptor socket{::socket(AF_INET, SOCK_STREAM, 0)};
};

}

TEST_CASE("a server is there when it is made and gone when it is stopped", "[embedded]")
{
    server server{quick()};
    const auto pid = server.pid();
    const auto directory = server.socket_directory();

    REQUIRE(psql(server.conninfo(), "select 1") == "1");
    REQUIRE(psql(server.tcp_conninfo(), "select 1") == "1");
    server.stop();
    server.stop();

    REQUIRE(server.pid() == 0);
    REQUIRE(wait_for_end(pid, 0ms));
    REQUIRE_FALSE(std::filesystem::exists(directory));
}

TEST_CASE("a server is durable and speaks UTF-8 unless told otherwise", "[embedded]")
{
    const server server;

    REQUIRE(psql(server.conninfo(),
                 "show fsync; show synchronous_commit; show full_page_writes;"
                 "show server_encoding; show lc_collate") == "on\non\non\nUTF8\nC.UTF-8");
}

TEST_CASE("several servers stand side by side, and one can be moved", "[embedded]")
{
    server first{quick()};
    server second = server::start(quick());

    REQUIRE(first.port() != second.port());
    const auto pid = first.pid();
    first = std::move(second);

    REQUIRE(wait_for_end(pid, 0ms));
    REQUIRE(psql(first.conninfo(), "select 2") == "2");
}

TEST_CASE("a killed server recovers what was committed, on the same port", "[embedded]")
{
    server server{quick()};
    const auto conninfo = server.tcp_conninfo();
    psql(conninfo, "create table kept as select 42 as n");

    server.kill();

    REQUIRE_THROWS(psql(conninfo, "select 1"));
    server.restart();
    REQUIRE(psql(conninfo, "select n from kept") == "42");
}

TEST_CASE("a fork that ends leaves the server to its parent", "[embedded]")
{
    auto server = std::make_unique<cuebox::embedded::server>(quick());

    const pid_t fork = ::fork();
    if (fork == 0) {
        server.reset();
        ::_exit(0);
    }
    ::waitpid(fork, nullptr, 0);

    REQUIRE(psql(server->conninfo(), "select 1") == "1");
}

TEST_CASE("a restart gives a new postmaster behind the same conninfo", "[embedded]")
{
    server server{quick()};
    const auto pid = server.pid();

    server.restart();

    REQUIRE(server.pid() != pid);
    REQUIRE(psql(server.conninfo(), "select 1") == "1");
    server.halt();
    REQUIRE(server.pid() == 0);
    server.restart();
    REQUIRE(psql(server.tcp_conninfo(), "select 1") == "1");
    server.stop();
    REQUIRE(refusal([&] { server.restart(); }).find("make a new one") != std::string::npos);
}

TEST_CASE("a server whose postmaster was killed from outside restarts", "[embedded]")
{
    server server{quick()};
    ::kill(server.pid(), SIGKILL);
    REQUIRE(wait_for_end(server.pid(), 10s));

    server.restart();

    REQUIRE(psql(server.conninfo(), "select 1") == "1");
}

TEST_CASE("a restart on a port that was taken says so, and works once it is free", "[embedded]")
{
    server server{quick()};
    server.halt();
    {
        const port_taker taker{server.port()};
        REQUIRE(refusal([&] { server.restart(); }) ==
                "port " + std::to_string(server.port()) +
                    " of 127.0.0.1 was taken while the embedded Postgres was down");
    }

    server.restart();

    REQUIRE(psql(server.tcp_conninfo(), "select 1") == "1");
}

TEST_CASE("settings reach the server whatever is in them", "[embedded]")
{
    options options = quick();
    options.settings.emplace_back("cuebox.note", "it's \"50 %\" \\ $HOME; `id`");

    const server server{options};

    REQUIRE(psql(server.conninfo(), "show cuebox.note") == "it's \"50 %\" \\ $HOME; `id`");
}

TEST_CASE("without TCP there is the socket alone", "[embedded]")
{
    options options = quick();
    options.tcp = false;

    const server server{options};

    REQUIRE(psql(server.conninfo(), "show listen_addresses").empty());
    REQUIRE(server.password().empty());
    REQUIRE(refusal([&] { (void)server.tcp_conninfo(); }).find("options.tcp is off") !=
            std::string::npos);
}

TEST_CASE("other users get in neither by the socket nor by TCP", "[embedded]")
{
    const server server{quick()};

    struct stat status{};
    REQUIRE(::stat(server.socket_directory().c_str(), &status) == 0);
    REQUIRE((status.st_mode & 0777) == 0700);
    auto guess = server.tcp_conninfo();
    guess.replace(guess.find(server.password()), 4, "nono");
    REQUIRE_THROWS(psql(guess, "select 1"));
}

TEST_CASE("the password is in no log", "[embedded]")
{
    const scratch scratch;
    const server server{quick(scratch / "data")};
    psql(server.tcp_conninfo(), "select 1");

    std::ifstream file{server.log_path()};
    const std::string log{std::istreambuf_iterator<char>{file}, {}};

    REQUIRE_FALSE(log.empty());
    REQUIRE(log.find(server.password()) == std::string::npos);
}
