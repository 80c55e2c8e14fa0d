#include "support/cluster.hpp"
#include "support/http_get.hpp"
#include "support/psql.hpp"
#include "support/tcp_gate.hpp"
#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

#include <set>

using namespace cuebox::worker::test;
using cuebox::test::http_get;

namespace {

constexpr auto served = R"("http": {"port": 0}, )";

constexpr auto note = R"({"name": "test.note", "kind": "log", "events": ["test.noted"]})";

constexpr auto one_of_each = R"json(
    {"name": "test.projection", "kind": "sql", "events": ["test.projected"],
     "statement": "insert into projected values (($3->>'number')::int)"},
    {"name": "test.note", "kind": "log", "events": ["test.noted"]},
    {"name": "test.refusal", "kind": "exec", "events": ["test.refused"], "command": ["false"],
     "retry": {"max_retries": 0}})json";

// What stands there twice, for then a scraper keeps either.
std::string repeated_series(const std::string& text)
{
    std::set<std::string> seen;
    std::istringstream lines(text);
    std::string line;
    while (std::getline(lines, line))
        if (const std::string series = line.substr(0, line.rfind(' '));
            !line.starts_with('#') && !seen.insert(series).second)
            return series;
    return "";
}

}

TEST_CASE("a scrape tells what was handled, what waits and how the context is", "[worker]")
{
    workshop shop;
    shop.database.query("create table projected (number int)");
    const auto worker = shop.start_stock(
        {.handlers = one_of_each, .settings = R"("gauge": "50ms", )", .process = served});
    const std::string address = address_of(*worker);
    shop.publish("test.projected", 1, 30);
    shop.publish("test.noted", 1, 20);
    shop.publish("test.refused", 1, 3);
    shop.publish("test.unheard", 1, 4);
    REQUIRE(shop.reaches("delivered 0: 50, failed 0: 3, pending 0: 4"));

    const std::string unrouted =
        "cuebox_unrouted_rows{generation=\"7\",event_type=\"test.unheard\"} 4\n";
    const std::string dead =
        "cuebox_dead_letter_rows{generation=\"7\",event_type=\"test.refused\"} 3\n";
    std::string text;
    CHECK(eventually([&] {
        text = http_get(address, "/metrics").body;
        return contains(text, unrouted) && contains(text, dead);
    }));

    INFO(text);
    const std::string runs = R"(cuebox_handled_total{context="test",handler=)";
    CHECK(contains(text, runs + "\"test.projection\",result=\"delivered\"} 30\n"));
    CHECK(contains(text, runs + "\"test.note\",result=\"delivered\"} 20\n"));
    CHECK(contains(text, runs + "\"test.refusal\",result=\"failed\"} 3\n"));
    CHECK(contains(text, "cuebox_rows_total{context=\"test\",outcome=\"failed\"} 3\n"));
    CHECK(contains(text, "cuebox_publish_to_handled_seconds_count{context=\"test\","
                         "handler=\"test.note\"} 20\n"));
    CHECK(contains(text, "cuebox_backlog_rows{generation=\"7\",status=\"pending\"} 4\n"));
    CHECK(contains(text, "cuebox_listen_up{context=\"test\",copy=\"1\"} 1\n"));
    CHECK(contains(text, "cuebox_notify_queue_usage_ratio "));
    const std::string claimer = R"({context="test",copy="1",actor="claimer"} )";
    CHECK(contains(text, "cuebox_actor_restarts_total" + claimer + "0\n"));
    CHECK(contains(text, "cuebox_mailbox_depth" + claimer));
    CHECK(contains(text, "process_resident_memory_bytes "));

    CHECK(repeated_series(text) == "");
#ifdef PROMTOOL
    // As Prometheus itself reads it.
    const auto checked = cuebox::test::run(PROMTOOL, {"check", "metrics"}, text);
    INFO(checked.out << checked.err);
    CHECK(checked.exit == 0);
#endif
    CHECK(worker->stop() == 0);
}

TEST_CASE("a process is healthy and ready while it runs, and not ready without its database",
          "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock(
        {.handlers = note,
         .settings =
             R"("heartbeat": "100ms", "reconnect_base": "50ms", "reconnect_cap": "200ms", )",
         .process = served});
    const std::string address = address_of(*worker);
    REQUIRE(eventually([&] { return http_get(address, "/readyz").status == 200; }));
    CHECK(http_get(address, "/healthz").status == 200);

    const std::string name = shop.database.name();
    const auto admin = [](const std::string& sql) {
        cuebox::test::psql(cuebox::test::the_cluster().conninfo(), sql);
    };
    admin("alter database " + name + " allow_connections false");
    admin("select pg_terminate_backend(pid) from pg_stat_activity where datname = '" + name + "'");

    CHECK(eventually([&] { return http_get(address, "/readyz").status == 503; }));
    CHECK(http_get(address, "/healthz").status == 200);

    admin("alter database " + name + " allow_connections true");
    CHECK(eventually([&] { return http_get(address, "/readyz").status == 200; }));
    CHECK(worker->stop() == 0);
}

TEST_CASE("what is asked for elsewhere is not found, and an address in use is said", "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock({.handlers = note, .process = served});
    const std::string address = address_of(*worker);

    CHECK(http_get(address, "/secrets").status == 404);
    CHECK(address.starts_with("127.0.0.1:"));

    const std::string port = address.substr(address.rfind(':') + 1);
    const auto refused =
        shop.run_stock({.handlers = note, .process = R"("http": {"port": )" + port + "}, "});
    CHECK(refused.exit == 1);
    CHECK(contains(refused.err, address));
    CHECK(worker->stop() == 0);
}

TEST_CASE("two contexts of one name are told apart", "[worker]")
{
    workshop shop;
    const auto worker =
        shop.start_stock({.handlers = note, .process = R"("threads": 2, )" + std::string(served)});
    const std::string address = address_of(*worker);

    std::string text;
    CHECK(eventually([&] {
        text = http_get(address, "/metrics").body;
        return contains(text, "cuebox_listen_up{context=\"test\",copy=\"2\"} 1\n");
    }));
    CHECK(contains(text, "cuebox_listen_up{context=\"test\",copy=\"1\"} 1\n"));
    CHECK(repeated_series(text) == "");
    CHECK(worker->stop() == 0);
}

TEST_CASE("a database that has gone silent holds up no probe", "[worker]")
{
    workshop shop;
    cuebox::test::tcp_gate gate;
    const auto worker = shop.start_stock_on(
        gate.conninfo(shop.database.name()),
        {.handlers = note, .settings = R"("heartbeat": "100ms", )", .process = served});
    const std::string address = address_of(*worker);
    REQUIRE(eventually([&] { return http_get(address, "/readyz").status == 200; }));

    gate.half_open();

    // Each answer is of what is known, so an ordinary probe's patience is plenty.
    CHECK(eventually([&] { return http_get(address, "/readyz", 1s).status == 503; }));
    CHECK(http_get(address, "/healthz", 1s).status == 200);
    CHECK(contains(http_get(address, "/metrics", 1s).body,
                   "cuebox_database_silence_seconds{context=\"test\",copy=\"1\"} "));
}
