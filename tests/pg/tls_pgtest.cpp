#include "scene.hpp"
#include "support/process.hpp"

#include <cuebox/embedded/account.hpp>
#include <cuebox/embedded/server.hpp>

#include <catch2/catch_test_macros.hpp>

#include <filesystem>
#include <unistd.h>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

// Made for this test; false without openssl.
bool make_certificate(const fs::path& key, const fs::path& certificate)
{
    try {
        return cuebox::test::run("openssl", {"req", "-x509", "-newkey", "ec", "-pkeyopt",
                                             "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                                             "-subj", "/CN=localhost", "-keyout", key.string(),
                                             "-out", certificate.string()})
                   .exit == 0;
    }
    catch (const std::exception&) {
        return false;
    }
}

}

TEST_CASE("over TLS everything is the same", "[pg]")
{
    cuebox::embedded::server server{{.settings = {{"fsync", "off"}}}};
    const fs::path key = server.data_directory() / "server.key";
    const fs::path certificate = server.data_directory() / "server.crt";
    if (!make_certificate(key, certificate))
        SKIP("no openssl on the PATH to make a certificate with: install it to test TLS");
    const auto owner = cuebox::embedded::server_account(server.data_directory());
    cuebox::embedded::give(key, owner);
    cuebox::embedded::give(certificate, owner);
    cuebox::test::psql(server.conninfo(), "alter system set ssl = on");
    cuebox::test::psql(server.conninfo(), "select pg_reload_conf()");
    stage stage;
    const connect_options options{.conninfo = server.tcp_conninfo() + " sslmode=require"};

    REQUIRE(eventually([&] {
        return !refusal_of([&] { stage.run(connect(options)); }).code; // Once it has reloaded.
    }));
    connection link = stage.run(connect(options));

    CHECK(stage.run(link.query_one<bool>(
        {.name = "tls", .sql = "select ssl from pg_stat_ssl where pid = pg_backend_pid()"})));
    const std::string large(1'000'000, 'x');
    pipeline batch;
    for (int i = 0; i < 20; ++i)
        batch.add({.name = "echo", .sql = "select $1::text"}, large);
    for (const auto& each : stage.run(link.run(std::move(batch))))
        CHECK(each.get().only<std::string>() == large);

    stage.run(link.listen("a"));
    auto waiting = stage.start(link.next_notification(30s));
    stage.settle();
    cuebox::test::psql(server.conninfo(), "notify a, 'over TLS'");
    CHECK(stage.finish(waiting)->payload == "over TLS");

    link.set_deadline(100ms);
    const statement nap{.name = "nap", .sql = "select pg_sleep(600)"};
    CHECK(refusal_of([&] { stage.run(link.execute(nap)); }).code == errc::timed_out);
    CHECK(eventually([&] {
        return cuebox::test::psql(server.conninfo(),
                                  "select count(*) from pg_stat_activity where query like '%sleep%'"
                                  " and pid <> pg_backend_pid()") == "0";
    }));
}
