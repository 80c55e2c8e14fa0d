#include "support/tcp_gate.hpp"
#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::worker::test;

TEST_CASE("SIGHUP takes over worker counts, up and down, without a restart", "[worker]")
{
    workshop shop;
    const std::string hold = R"({"name": "test.hold"})";
    const auto worker = shop.start({.handlers = hold, .settings = R"("workers": 1,)"});
    REQUIRE(worker->listens());
    shop.publish("test.hold", 1, 5);
    REQUIRE(shop.noted("began", 1));
    CHECK(count(shop.journal(), "began") == 1);

    shop.rewrite({.handlers = hold, .settings = R"("workers": 3,)"});
    worker->signal(SIGHUP);
    REQUIRE(shop.noted("began", 3));
    CHECK(count(shop.journal(), "began") == 3);

    worker->release();
    CHECK(shop.reaches("delivered 0: 5"));
    CHECK(count(shop.journal(), worker->pid()) == 10); // One process, each event begun and done.
    CHECK(worker->stop() == 0);
}

TEST_CASE("SIGHUP takes over retry policies", "[worker]")
{
    workshop shop;
    const auto plan = [](int retries) {
        return workshop::plan{.handlers = R"({"name": "test.false", "kind": "exec", "events": ["x"],
            "command": ["false"], "retry": {"base": "1ms", "cap": "1ms", "max_retries": )" +
                                          std::to_string(retries) + "}}"};
    };
    const auto worker = shop.start_stock(plan(0));
    REQUIRE(worker->listens());
    shop.publish("x", "{}");
    REQUIRE(shop.reaches("failed 0: 1"));

    shop.rewrite(plan(2));
    worker->signal(SIGHUP);
    REQUIRE(eventually([&] { return contains(worker->log(), "config re-read"); }));
    shop.publish("x", "{}");

    CHECK(shop.reaches("failed 0: 1, failed 2: 1"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a config that the database refuses is not taken over, and the old one stays", "[worker]")
{
    workshop shop;
    shop.database.query("create table seen (what text)");
    const auto plan = [](const std::string& statement, const std::string& command) {
        return workshop::plan{
            .handlers = R"({"name": "test.sql", "kind": "sql", "events": ["x"], "statement": ")" +
                        statement +
                        R"("}, {"name": "test.run", "kind": "exec", "events": ["y"], )" +
                        R"("command": [")" + command + R"("]})"};
    };
    const auto worker = shop.start_stock(plan("insert into seen values ('old')", "true"));
    REQUIRE(worker->listens());

    shop.rewrite(plan("insrt into seen values ('new')", "true"));
    worker->signal(SIGHUP);
    REQUIRE(eventually([&] {
        return contains(worker->log(), "/contexts/0/handlers/0/statement: syntax error at or near");
    }));
    shop.rewrite(plan("insert into seen values ('new')", "/no/such"));
    worker->signal(SIGHUP);
    REQUIRE(eventually([&] {
        return contains(worker->log(), "/contexts/0/handlers/1/command/0: there is no file");
    }));
    CHECK_FALSE(contains(worker->log(), "config re-read"));
    shop.publish("x", "{}");
    REQUIRE(shop.reaches("delivered 0: 1"));
    CHECK(shop.database.query("select what from seen") == "old");

    shop.rewrite(plan("insert into seen values ('new')", "true"));
    worker->signal(SIGHUP);
    REQUIRE(eventually([&] { return contains(worker->log(), "config re-read"); }));
    shop.publish("x", "{}");
    REQUIRE(shop.reaches("delivered 0: 2"));
    CHECK(shop.database.query("select count(*) from seen where what = 'new'") == "1");
    CHECK(worker->stop() == 0);
}

TEST_CASE("a config that the database could not be asked about waits for the next SIGHUP",
          "[worker]")
{
    workshop shop;
    cuebox::test::tcp_gate gate;
    shop.database.query("create table seen (what text)");
    const auto plan = [](const std::string& what) {
        return workshop::plan{.handlers = R"({"name": "test.sql", "kind": "sql", "events": ["x"], )"
                                          R"("statement": "insert into seen select ')" +
                                          what + "'\"}",
                              .settings = R"("reconnect_base": "1s", "reconnect_cap": "2s",)"};
    };
    const auto worker = shop.start_stock_on(gate.conninfo(shop.database.name()), plan("old"));
    REQUIRE(worker->listens());

    gate.cut_after(cuebox::test::way::up, 1, cuebox::test::ending::reset, 1'000'000);
    gate.cut();
    shop.rewrite(plan("new"));
    worker->signal(SIGHUP);
    REQUIRE(eventually([&] { return contains(worker->log(), "config not taken over"); }));
    gate.pass();
    worker->signal(SIGHUP);
    REQUIRE(eventually([&] { return contains(worker->log(), "config re-read"); }));

    shop.publish("x", "{}");
    REQUIRE(shop.reaches("delivered 0: 1"));
    CHECK(shop.database.query("select what from seen") == "new");
    CHECK(worker->stop() == 0);
}

TEST_CASE("a config that cannot be taken over is named, and the old one stays", "[worker]")
{
    workshop shop;
    const auto worker = shop.start({.handlers = R"({"name": "test.append"})"});
    REQUIRE(worker->listens());

    shop.rewrite({.handlers = R"({"name": "test.append"}, {"name": "test.hold"})"});
    worker->signal(SIGHUP);
    REQUIRE(eventually([&] { return contains(worker->log(), "that takes a restart"); }));
    shop.rewrite({.handlers = R"({"name": "test.append", "retries": 3})"});
    worker->signal(SIGHUP);
    REQUIRE(eventually([&] { return contains(worker->log(), "unknown key \\\"retries\\\""); }));

    shop.rewrite({.handlers = R"({"name": "test.append"})", .context = "renamed"});
    worker->signal(SIGHUP);
    REQUIRE(eventually([&] { return contains(worker->log(), "added, removed or renamed"); }));

    shop.publish("test.append", 1, 3);
    CHECK(shop.reaches("delivered 0: 3"));
    CHECK(worker->stop() == 0);
}
