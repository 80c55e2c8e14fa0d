#include "scene.hpp"
#include "support/tcp_gate.hpp"

#include <cuebox/pg/pool.hpp>
#include <cuebox/pg/transaction.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::pg;
using namespace cuebox::pg::test;
using namespace std::chrono_literals;
using cuebox::test::ending;
using cuebox::test::tcp_gate;
using cuebox::test::way;

namespace {

constexpr statement one{.name = "one", .sql = "select 1"};
constexpr statement nap{.name = "nap", .sql = "select pg_sleep(600)"};
constexpr statement insert{.name = "insert", .sql = "insert into t values ($1)"};

// A pool of one behind a gate that makes trouble.
class shop : public scene
{
public:
    connect_options hasty()
    {
        auto options = options_by(gate.port());
        options.connect_deadline = 10s;
        options.address_deadline = 300ms;
        return options;
    }
    bool recovers()
    {
        auto held = run(behind.borrow());
        return run(held->query_one<int>(one)) == 1;
    }

    tcp_gate gate;
    pool behind{{.connect = options_by(gate.port()), .rules = {.size = 1}, .borrow_deadline = 30s}};
};

}

TEST_CASE("a server that refuses is named, with what to check; and it recovers", "[pg]")
{
    shop shop;
    shop.gate.refuse();

    const auto refused = refusal_of([&] { shop.run(shop.behind.borrow()); });

    CHECK(refused.code == errc::connect);
    CHECK(refused.says("cannot connect to the database: 127.0.0.1:" +
                       std::to_string(shop.gate.port()) + ": Connection refused"));
    CHECK(refused.says("check that the server runs"));
    shop.gate.accept();
    REQUIRE(shop.recovers());
}

TEST_CASE("a server that never answers is given up at the deadline; and it recovers", "[pg]")
{
    shop shop;
    shop.gate.half_open();

    const auto refused = refusal_of([&] { shop.run(connect(shop.hasty())); });

    CHECK(refused.code == errc::connect);
    CHECK(refused.says(": no answer in time: check that the server runs"));
    shop.gate.pass();
    REQUIRE(shop.recovers());
}

TEST_CASE("a slow server and one that trickles are connected to all the same", "[pg]")
{
    shop shop;

    shop.gate.delay(20ms);
    REQUIRE(shop.recovers());
    shop.gate.pass();
    shop.gate.trickle();
    connection link = shop.run(connect(shop.options_by(shop.gate.port())));

    REQUIRE(shop.run(link.query_one<std::string>(
                {.name = "long", .sql = "select repeat('x', 1000)"})) == std::string(1'000, 'x'));
}

TEST_CASE("of two hosts the first is dead: the second is connected to", "[pg]")
{
    shop shop;
    tcp_gate dead;
    auto options = shop.hasty();
    const std::string port = "port=" + std::to_string(shop.gate.port());
    const std::string host = "host=127.0.0.1";
    const auto replace = [&options](const std::string& what, const std::string& with) {
        const auto at = options.conninfo.find(what);
        REQUIRE(at != std::string::npos);
        options.conninfo.replace(at, what.size(), with);
    };
    replace(port, "port=" + std::to_string(dead.port()) + "," + std::to_string(shop.gate.port()));
    replace(host, "host=127.0.0.1,127.0.0.1");

    dead.refuse();
    REQUIRE(shop.run(shop.run(connect(options)).query_one<int>(one)) == 1);
    dead.accept();
    dead.half_open();
    REQUIRE(shop.run(shop.run(connect(options)).query_one<int>(one)) == 1);

    shop.gate.refuse();
    const auto refused = refusal_of([&] { shop.run(connect(options)); });
    CHECK(refused.says(std::to_string(dead.port()) + ": no answer in time; 127.0.0.1:"));
    CHECK(refused.says(std::to_string(shop.gate.port()) + ": Connection refused"));
}

TEST_CASE("a name that does not resolve is an error that names it", "[pg]")
{
    scene scene;

    const auto refused = refusal_of(
        [&] { scene.run(connect({.conninfo = "host=nowhere.invalid port=1 dbname=x"})); });

    CHECK(refused.code == errc::connect);
    CHECK(refused.says("nowhere.invalid:1: its name was not resolved"));
}

TEST_CASE("a wrong password is an error that does not show it", "[pg]")
{
    shop shop;
    auto options = shop.hasty();
    options.conninfo += " password=s3cret";

    const auto refused = refusal_of([&] { shop.run(connect(options)); });

    CHECK(refused.code == errc::connect);
    CHECK(refused.says("password authentication failed for user"));
    CHECK_FALSE(refused.says("s3cret"));
}

TEST_CASE("a connection cut during a statement is lost; and it recovers", "[pg]")
{
    shop shop;
    for (const ending how : {ending::reset, ending::finish}) {
        auto held = shop.run(shop.behind.borrow());
        auto napping = shop.start(held->execute(nap));
        shop.settle();
        REQUIRE(eventually([&shop] { return shop.running("pg_sleep"); }));

        shop.gate.cut(how);

        const auto refused = refusal_of([&] { shop.finish(napping); });
        CHECK(refused.code == errc::lost);
        CHECK(refused.says("nap: the connection was lost: "));
        CHECK(held->broken());
    }

    REQUIRE(shop.recovers());
}

TEST_CASE("a connection that went silent is found out by the deadline; and it recovers", "[pg]")
{
    shop shop;
    {
        auto held = shop.run(shop.behind.borrow());
        shop.run(held->execute(one));
        shop.gate.half_open();
        held->set_deadline(200ms);

        CHECK(refusal_of([&] { shop.run(held->execute(one)); }).code == errc::timed_out);
    }
    shop.gate.pass();

    REQUIRE(shop.recovers());
}

TEST_CASE("a connection that went silent while idle is replaced before it is lent", "[pg]")
{
    shop shop;
    pool checked{{.connect = shop.options_by(shop.gate.port()),
                  .rules = {.size = 1, .check_after = 0ms},
                  .borrow_deadline = 30s,
                  .check_deadline = 200ms}};
    shop.run(checked.borrow());
    shop.gate.stop_after(way::up, shop.gate.bytes(way::up)); // The open one is hit, not the next.

    auto held = shop.run(checked.borrow());

    REQUIRE(shop.run(held->query_one<int>(one)) == 1);
}

TEST_CASE("a connection cut while COMMIT is on its way leaves it unknown; and it recovers", "[pg]")
{
    shop shop;
    shop.see("create table t(a int)");
    int calls = 0;
    for (const way lost : {way::up, way::down}) {
        auto held = shop.run(shop.behind.borrow());
        transaction work{*held};
        work.after_commit([&calls] { ++calls; });
        shop.run(work.execute(insert, 1));
        shop.gate.delay(lost, 10min); // It does not arrive, or its answer does not.
        auto committing = shop.start(work.commit());
        shop.settle();
        if (lost == way::down)
            REQUIRE(eventually([&shop] { return shop.see("select count(*) from t") == "1"; }));

        shop.gate.cut();

        const auto refused = refusal_of([&] { shop.finish(committing); });
        CHECK(refused.code == errc::commit_unknown);
        CHECK(refused.says("commit: the connection was lost: "));
        CHECK(refused.says(": whether it was committed is unknown"));
        CHECK(work.commit_unknown());
        shop.gate.pass();
    }

    CHECK(calls == 0);
    REQUIRE(shop.recovers());
}

TEST_CASE("a COMMIT that is cancelled may have happened, and the transaction tells", "[pg]")
{
    shop shop;
    shop.see("create table t(a int)");
    auto held = shop.run(shop.behind.borrow());
    transaction work{*held};
    shop.run(work.execute(insert, 1));
    CHECK_FALSE(work.commit_unknown());
    shop.gate.delay(way::down, 10min);
    auto committing = shop.start(work.commit());
    shop.settle();
    REQUIRE(eventually([&shop] { return shop.see("select count(*) from t") == "1"; }));

    committing.cancel();

    CHECK(cancelled([&] { shop.finish(committing); }));
    CHECK(work.commit_unknown());
}

TEST_CASE("a COMMIT without an answer by the deadline is unknown as well", "[pg]")
{
    shop shop;
    shop.see("create table t(a int)");
    auto held = shop.run(shop.behind.borrow());
    transaction work{*held};
    shop.run(work.execute(insert, 1));
    shop.gate.half_open();
    held->set_deadline(100ms);

    const auto refused = refusal_of([&] { shop.run(work.commit()); });

    CHECK(refused.code == errc::commit_unknown);
    CHECK(refused.says("no answer within 100 ms"));
    CHECK(work.commit_unknown());
}

TEST_CASE("a server that ends the connection says so; and it recovers", "[pg]")
{
    shop shop;
    shop.see("create table t(a int)");
    {
        auto held = shop.run(shop.behind.borrow());
        transaction work{*held};
        shop.run(work.execute(insert, 1));
        auto napping = shop.start(work.execute(nap));
        shop.settle();
        REQUIRE(eventually([&shop] { return shop.running("pg_sleep"); }));
        shop.see("select pg_terminate_backend(" + std::to_string(held->backend()) + ")");

        const auto refused = refusal_of([&] { shop.finish(napping); });
        CHECK(refused.code == errc::lost);
        CHECK(refused.says("terminating connection due to administrator command"));
        CHECK(refusal_of([&] { shop.run(work.commit()); }).code == errc::lost);
    }

    CHECK(shop.see("select count(*) from t") == "0");
    REQUIRE(shop.recovers());
}
