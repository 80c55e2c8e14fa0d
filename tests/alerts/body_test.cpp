#include "alerts/some_alert.hpp"

#include <cuebox/alerts/sentry_envelope.hpp>
#include <cuebox/alerts/webhook_body.hpp>

#include <catch2/catch_test_macros.hpp>
#include <tao/json/from_string.hpp>
#include <tao/json/to_string.hpp>
#include <tao/json/value.hpp>

#include <sstream>

using namespace cuebox;
using namespace cuebox::alerts;
using namespace cuebox::alerts::test;

namespace {

const event::uuid id = event::parse_uuid("12345678-1234-7cc1-9f8e-0123456789ab").value();
const event::timestamp sent_at = event::parse_timestamp("2026-11-16T03:44:06Z").value();

std::vector<std::string> lines_of(const telemetry::alert& alert, const sentry_origin& from = {})
{
    const dsn to = parse_dsn("https://abc@sentry.example/42");
    std::istringstream text(print_sentry_envelope(trim(alert), to, from, id, sent_at));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);)
        lines.push_back(line);
    return lines;
}

std::string at(const std::string& line, const std::string& pointer)
{
    const auto value = tao::json::from_string(line);
    return tao::json::to_string(value.at(tao::json::pointer(pointer)));
}

}

TEST_CASE("a webhook gets what there is to know of a dead letter", "[alerts]")
{
    CHECK(print_webhook_body(some_alert()) ==
          R"({"event_id":"019358cc-6d2b-7cc1-9f8e-0123456789ab","event_type":"order.placed",)"
          R"("source":"shop","target":"billing","handler_name":"billing.invoices",)"
          R"("last_error":"no_order: 7 is gone","attempts":5,"context":"billing","generation":3,)"
          R"("failed_at":"2026-11-16T03:44:05.123456Z",)"
          R"("row":"019358cc-6d2b-7cc1-9f8e-ba9876543210",)"
          R"("trace_id":"0af7651916cd43dd8448eb211c80319c","span_id":"b7ad6b7169203331"})");
}

TEST_CASE("an event that is in no trace raises an alert without one", "[alerts]")
{
    auto alert = some_alert();
    alert.trace.reset();

    CHECK(print_webhook_body(alert).find("trace_id") == std::string::npos);
    CHECK(lines_of(alert).at(2).find("contexts") == std::string::npos);
}

TEST_CASE("a Sentry envelope is three lines, and the second has the third's length", "[alerts]")
{
    const auto lines = lines_of(some_alert());

    REQUIRE(lines.size() == 3);
    CHECK(lines[0] == R"({"event_id":"1234567812347cc19f8e0123456789ab",)"
                      R"("sent_at":"2026-11-16T03:44:06.000000Z",)"
                      R"("dsn":"https://abc@sentry.example/42"})");
    CHECK(lines[1] == R"({"type":"event","content_type":"application/json","length":)" +
                          std::to_string(lines[2].size()) + "}");
}

TEST_CASE("a Sentry event says what failed, where and why", "[alerts]")
{
    const std::string event =
        lines_of(some_alert(),
                 {.server_name = "worker-1", .release = "shop@1.2", .environment = "live"})
            .at(2);

    CHECK(at(event, "/event_id") == R"("1234567812347cc19f8e0123456789ab")");
    CHECK(at(event, "/timestamp") == R"("2026-11-16T03:44:05.123456Z")");
    CHECK(at(event, "/platform") == R"("native")");
    CHECK(at(event, "/level") == R"("error")");
    CHECK(at(event, "/logger") == R"("cuebox")");
    CHECK(at(event, "/server_name") == R"("worker-1")");
    CHECK(at(event, "/release") == R"("shop@1.2")");
    CHECK(at(event, "/environment") == R"("live")");
    CHECK(at(event, "/exception/values/0") ==
          R"({"type":"no_order","value":"no_order: 7 is gone"})");
    CHECK(at(event, "/contexts/trace") ==
          R"({"span_id":"b7ad6b7169203331","trace_id":"0af7651916cd43dd8448eb211c80319c"})");
    CHECK(at(event, "/tags") ==
          R"({"context":"billing","event_type":"order.placed","generation":"3",)"
          R"("handler_name":"billing.invoices","source":"shop","target":"billing"})");
    CHECK(at(event, "/extra") ==
          R"({"attempts":5,"event_id":"019358cc-6d2b-7cc1-9f8e-0123456789ab",)"
          R"("last_error":"no_order: 7 is gone","row":"019358cc-6d2b-7cc1-9f8e-ba9876543210"})");
}

TEST_CASE("failures of one cause are one issue in Sentry", "[alerts]")
{
    const auto fingerprint = [](const telemetry::alert& alert) {
        return at(lines_of(alert).at(2), "/fingerprint");
    };
    auto other_handler = some_alert();
    other_handler.handler_name = "billing.totals";

    CHECK(fingerprint(some_alert()) ==
          R"(["cuebox","billing.invoices","order.placed","no_order"])");
    CHECK(fingerprint(some_alert("no_order: of Ada")) == fingerprint(some_alert()));
    CHECK(fingerprint(some_alert("no_buyer: 7 is gone")) != fingerprint(some_alert()));
    CHECK(fingerprint(other_handler) != fingerprint(some_alert()));
}

TEST_CASE("an alert that nobody was told much about is still an event", "[alerts]")
{
    const auto lines = lines_of(telemetry::alert{});

    REQUIRE(lines.size() == 3);
    CHECK(at(lines[2], "/tags") == R"({"generation":"0"})");
    CHECK(at(lines[2], "/exception/values/0/type") == R"("unknown")");
}

TEST_CASE("what an error says cannot break an envelope, nor make it large", "[alerts]")
{
    using namespace std::string_literals;
    for (const std::string& said :
         {"a\nb\r\n{\"type\":\"event\"}"s, "\"\\\xff\0\x01"s, std::string(1'000'000, '\x01')})
    {
        auto alert = some_alert(said);
        alert.event_type = alert.source = alert.handler_name = said;
        const auto lines = lines_of(alert);
        REQUIRE(lines.size() == 3);
        CHECK(at(lines[1], "/length") == std::to_string(lines[2].size()));
        CHECK(lines[2].size() < 200'000);
        CHECK_NOTHROW(tao::json::from_string(print_webhook_body(trim(alert))));
    }
}

TEST_CASE("the key goes into one header, in Sentry's words", "[alerts]")
{
    const auto headers = sentry_headers(parse_dsn("https://abc@sentry.example/42"));

    REQUIRE(headers.size() == 1);
    CHECK(headers[0].first == "X-Sentry-Auth");
    CHECK(headers[0].second.starts_with("Sentry sentry_version=7, sentry_client=cuebox/"));
    CHECK(headers[0].second.ends_with(", sentry_key=abc"));
}
