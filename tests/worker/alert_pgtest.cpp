#include "support/http_get.hpp"
#include "worker/http_receiver.hpp"
#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>
#include <tao/json/from_string.hpp>
#include <tao/json/value.hpp>

using namespace cuebox::worker::test;
using cuebox::test::http_get;

namespace {

// Fails at once, without another try.
constexpr auto refusal = R"(
    {"name": "test.refusal", "kind": "exec", "events": ["test.refused"], "command": ["false"],
     "retry": {"max_retries": 0}})";
constexpr auto note = R"({"name": "test.note", "kind": "log", "events": ["test.noted"]})";

// The key of a DSN is a secret, so it is a canary too.
std::string sentry(const http_receiver& to, const std::string& more = "")
{
    std::string dsn = to.url("/42");
    dsn.insert(dsn.find("127"), std::string(cuebox::test::canary::password) + "@");
    return R"("alerts": [{"kind": "sentry", "dsn": ")" + dsn + "\"" + more + "}], ";
}

std::uint64_t metric(const std::string& text, const std::string& series)
{
    const auto at = text.find(series + " ");
    return at == std::string::npos ? 0 : std::stoull(text.substr(at + series.size() + 1));
}

}

TEST_CASE("a dead letter arrives at Sentry as an envelope", "[worker]")
{
    workshop shop;
    const http_receiver receiver([](const std::string&, std::size_t) { return 200; });
    const auto worker = shop.start_stock({.handlers = refusal, .process = sentry(receiver)});

    shop.publish("test.refused", 1, 1);

    REQUIRE(eventually([&] { return receiver.requests().size() == 1; }));
    const std::string got = receiver.requests().front();
    INFO(got);
    CHECK(got.starts_with("POST /api/42/envelope/ HTTP/1.1\r\n"));
    CHECK(contains(got, "application/x-sentry-envelope"));
    // Three lines: the envelope's header, the item's header with the length of the third, the item.
    const std::string body = got.substr(got.find("\r\n\r\n") + 4);
    const auto first = body.find('\n');
    const auto second = body.find('\n', first + 1);
    REQUIRE(second != std::string::npos);
    const std::string item_header = body.substr(first + 1, second - first - 1);
    std::string item = body.substr(second + 1);
    if (item.ends_with('\n'))
        item.pop_back();
    CHECK(contains(item_header, "\"type\":\"event\""));
    CHECK(contains(item_header, "\"length\":" + std::to_string(item.size())));
    const std::string id = shop.database.query("select id from core.outbox");
    CHECK(contains(item, id));
    CHECK(contains(item, "\"event_type\":\"test.refused\""));
    CHECK(contains(item, "\"handler_name\":\"test.refusal\""));
    CHECK(contains(item, "exited with 1: false"));
    CHECK(contains(item, "\"attempts\":0"));
    CHECK_FALSE(contains(item, cuebox::test::canary::payload));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a receiver that hangs costs alerts, which are counted, and no event", "[worker]")
{
    workshop shop;
    const http_receiver receiver([](const std::string&, std::size_t) { return 0; });
    const auto worker = shop.start_stock(
        {.handlers = std::string(refusal) + "," + note,
         .process = sentry(receiver, R"(, "capacity": 5)") + R"("http": {"port": 0}, )"});

    shop.publish("test.refused", 1, 40);
    shop.publish("test.noted", 1, 2000);

    REQUIRE(shop.reaches("delivered 0: 2000, failed 0: 40"));
    const std::string log = worker->log();
    const auto at = log.find("address=") + 8;
    const std::string text = http_get(log.substr(at, log.find('\n', at) - at), "/metrics").body;
    INFO(text);
    CHECK(metric(text, R"(cuebox_alerts_dropped_total{sink="sentry",reason="full"})") >= 34);
    CHECK(metric(text, R"(cuebox_alerts_waiting{sink="sentry"})") == 5);
    CHECK(metric(text, R"(cuebox_handled_total{context="test",handler="test.note",)"
                       R"(result="delivered"})") == 2000);
    // What waits is given up at the end.
    CHECK(worker->stop() == 0);
}

TEST_CASE("a dead letter's log line and its alerts carry the trace of its event", "[worker]")
{
    workshop shop;
    const http_receiver receiver([](const std::string&, std::size_t) { return 200; });
    const std::string hook = R"({"kind": "webhook", "url": ")" + receiver.url("/hook") + R"("})";
    const auto worker = shop.start_stock(
        {.handlers = R"({"name": "test.refusal", "kind": "exec", "events": ["test.refused"],
            "command": ["sh", "-c", "printf 'café\\rno \\377 \"order\"' >&2; exit 65"]})",
         .process = R"("alerts": [)" + hook + R"(, {"kind": "log"}], )",
         .log = R"("json": true, "environment": "live", )"});

    shop.database.query("select core.outbox_publish('test.refused', 'test', 7, '{}', "
                        "p_trace_context => "
                        "'00-11111111111111111111111111111111-2222222222222222-01')");

    REQUIRE(eventually([&] { return receiver.requests().size() == 1; }));
    const std::string got = receiver.requests().front();
    INFO(got);
    CHECK(contains(got, R"("trace_id":"11111111111111111111111111111111")"));
    CHECK(worker->stop() == 0);
    std::istringstream log(worker->log());
    std::size_t told = 0;
    for (std::string line; std::getline(log, line);) {
        INFO(line);
        const auto read = tao::json::from_string(line);
        CHECK(read.at("environment").get_string() == "live");
        CHECK(read.at("service").get_string() == "cuebox");
        CHECK_FALSE(read.at("version").get_string().empty());
        const std::string& message = read.at("message").get_string();
        if (message != "dead letter" && message != "alert" && message != "handled")
            continue;
        ++told;
        CHECK(read.at("trace_id").get_string() == "11111111111111111111111111111111");
        CHECK(read.at("span_id").get_string() == "2222222222222222");
        CHECK(contains(line, "café"));
    }
    CHECK(told == 3);
}
