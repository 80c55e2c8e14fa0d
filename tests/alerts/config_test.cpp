#include "config/refusal.hpp"

#include <cuebox/alerts/config.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::alerts;
using namespace std::chrono_literals;

struct app_config
{
    std::vector<config::node> alerts;
};

namespace {

std::vector<sink_options> read_text(const std::string& entries, const sentry_origin& from = {})
{
    const auto app =
        config::read<app_config>(config::parse("{alerts: [" + entries + "]}", "app.jaxn"));
    return read_alerts(app.alerts, from);
}

std::string refusal(const std::string& entries)
{
    return config::test::refusal([&] { read_text(entries); });
}

}

TEST_CASE("alerts go to the sinks that a config names", "[alerts]")
{
    const auto sinks = read_text(R"(
        {kind: "sentry", dsn: "https://abc@sentry.example/42", environment: "live", capacity: 50,
         timeout: "3s", attempts: 2},
        {kind: "webhook", url: "https://hooks.example/x", headers: {Authorization: "Bearer y"}},
        {kind: "log"},
        {kind: "log", name: "pager"})",
                                 {.release = "1.2", .environment = "test"});

    REQUIRE(sinks.size() == 4);
    CHECK(sinks[0].name == "sentry");
    CHECK(sinks[0].capacity == 50);
    CHECK(sinks[0].timeout == 3s);
    CHECK(sinks[0].rules.attempts_max == 2);
    const auto& sentry = std::get<sentry_sink>(sinks[0].kind);
    CHECK(sentry.to.project == "42");
    CHECK(sentry.from.environment == "live");
    CHECK(sentry.from.release == "1.2");
    const auto& webhook = std::get<webhook_sink>(sinks[1].kind);
    CHECK(webhook.to.authority() == "hooks.example");
    CHECK(webhook.headers == http::headers{{"Authorization", "Bearer y"}});
    CHECK(sinks[1].capacity == 1000);
    CHECK(sinks[1].timeout == 10s);
    CHECK(std::holds_alternative<log_sink>(sinks[2].kind));
    CHECK(sinks[3].name == "pager");
}

TEST_CASE("sinks of one kind are told apart", "[alerts]")
{
    const auto sinks = read_text(R"({kind: "log"}, {kind: "log"}, {kind: "log"})");

    CHECK(sinks[0].name == "log");
    CHECK(sinks[1].name == "log-2");
    CHECK(sinks[2].name == "log-3");
    CHECK(refusal(R"({kind: "log"}, {kind: "log", name: "log"})")
              .starts_with("app.jaxn: /alerts/1/name: another entry has that name"));
}

TEST_CASE("what a config says of alerts is refused where it is wrong", "[alerts]")
{
    struct row
    {
        const char* entry;
        const char* why;
    };
    const row table[] = {
        {R"({})", "/alerts/0/kind: missing: take one of sentry, webhook, log"},
        {R"("log")", "/alerts/0: expected object"},
        {R"({kind: "pager"})", "/alerts/0/kind: no such kind: take one of"},
        {R"({kind: "sentry"})", "/alerts/0/dsn: "},
        {R"({kind: "sentry", dsn: "nonsense"})", "/alerts/0/dsn: expected https://KEY@host/"},
        {R"({kind: "sentry", dsn: "http://k@h.example/1"})", "/alerts/0/dsn: is not https"},
        {R"({kind: "sentry", dsn: "https://k@h/1", dns: "x"})",
         "/alerts/0: unknown key \"dns\", did you mean \"dsn\"?"},
        {R"({kind: "webhook"})", "/alerts/0/url: "},
        {R"({kind: "webhook", url: "http://h.example/"})", "/alerts/0/url: is not https"},
        {R"({kind: "webhook", url: "https://u:p@h/"})", "/alerts/0/url: expected http://host"},
        {R"({kind: "webhook", url: "https://h/", headers: {"X Y": "a"}})",
         "/alerts/0/headers/X Y: is no name"},
        {R"({kind: "webhook", url: "https://h/", headers: {X: "a\nb"}})",
         "/alerts/0/headers/X: has a line break"},
        {R"({kind: "webhook", url: "https://h/", timeout: "0s"})", "/alerts/0/timeout: must be"},
        {R"({kind: "webhook", url: "https://h/", attempts: 0})", "/alerts/0/attempts: must be"},
        {R"({kind: "log", capacity: 0})", "/alerts/0/capacity: must be"},
        {R"({kind: "log", url: "https://h/"})", "/alerts/0: unknown key \"url\""},
    };

    for (const row& each : table) {
        INFO(each.entry);
        const std::string why = refusal(each.entry);
        INFO(why);
        CHECK(why.starts_with(std::string("app.jaxn: ") + each.why));
    }
    CHECK(refusal(R"({kind: "sentry", dsn: "http://k@h.example/1", allow_plain_http: true})") ==
          "not refused");
}

TEST_CASE("no secret of a config is repeated in what it is refused with", "[alerts]")
{
    for (const char* entry :
         {R"({kind: "sentry", dsn: "ftp://swordfish@h/1"})",
          R"({kind: "sentry", dsn: "http://swordfish@h.example/1"})",
          R"({kind: "webhook", url: "http://h.example/swordfish"})",
          R"({kind: "webhook", url: "https://h/", headers: {X: "swordfish\n"}})"})
        CHECK(refusal(entry).find("swordfish") == std::string::npos);
}
