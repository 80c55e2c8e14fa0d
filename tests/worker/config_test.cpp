#include "config/refusal.hpp"

#include <cuebox/handling/handler_set.hpp>
#include <cuebox/worker/config.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace std::chrono_literals;

namespace {

awaitable<void> mail(delivery<raw_payload>)
{
    co_return;
}

registry own_handlers()
{
    registry made;
    made.on_any("shop.mail", {"order.placed"}, &mail, {.retry = {.max_retries = 2}});
    return made;
}

worker::context_plan plan(std::string_view context, const registry& known = {})
{
    const auto config =
        worker::parse_config("{contexts: [" + std::string(context) + "]}", "w.jaxn");
    return worker::plan_context(config.contexts.front(), known);
}

// All that stands before a worker's start.
std::string refusal(const std::string& text)
{
    try {
        worker::describe(worker::parse_config(text, "w.jaxn"), {});
    }
    catch (const std::exception& error) {
        return error.what();
    }
    return "not refused";
}
std::string context_refusal(const std::string& keys)
{
    return refusal(
        R"({contexts: [{context: "shop", generation: 7, handlers: [{name: "shop.log", kind: "log",)"
        R"( events: ["a"]}], )" +
        keys + "}]}");
}
std::string handler_refusal(const std::string& keys)
{
    return refusal(R"({contexts: [{context: "shop", generation: 7, handlers: [{)" + keys + "}]}]}");
}

}

TEST_CASE("what a config leaves out has its default", "[worker]")
{
    const auto config = worker::parse_config(
        R"({contexts: [{context: "shop", handlers: [{name: "shop.mail"}]}]})", "w");

    const auto made = worker::plan_context(config.contexts.front(), own_handlers());
    const actors::settings defaults;
    CHECK(config.threads == 1);
    CHECK(config.log.level == telemetry::level::info);
    CHECK(made.options.name == "shop");
    CHECK_FALSE(made.options.generation);
    CHECK(made.options.settings.workers == defaults.workers);
    CHECK(made.options.settings.lease == 300s);
    CHECK(made.options.settings.safety_poll == 30s);
    CHECK(made.options.settings.stop_deadline == defaults.stop_deadline);
    CHECK(made.options.settings.claim.batch_min == 10);
}

TEST_CASE("every setting of a context arrives where it belongs", "[worker]")
{
    const auto made = plan(R"({
        context: "shop", generation: 9, classes: ["bulk", "hot"],
        handlers: [{name: "shop.log", kind: "log", events: ["a"]}],
        workers: 3, lanes: 4, batch_min: 5, batch_max: 6, batch_time: "7ms", lease: "8s",
        safety_poll: "9s", poll: "10s", heartbeat: "4s", reconnect_base: "12ms",
        reconnect_cap: "13s", reap: "14s", gauge: "15s", sweep: "16s", stop_deadline: "17s" })");

    const auto& rules = made.options.settings;
    CHECK(made.options.generation == 9);
    CHECK(made.options.classes == std::vector<std::string>{"bulk", "hot"});
    CHECK(rules.workers == 3);
    CHECK(rules.lanes == 4);
    CHECK(rules.claim.batch_min == 5);
    CHECK(rules.claim.batch_max == 6);
    CHECK(rules.claim.batch_time == 7ms);
    CHECK(rules.lease == 8s);
    CHECK(rules.safety_poll == 9s);
    CHECK(rules.poll == 10s);
    CHECK(rules.heartbeat == 4s);
    CHECK(rules.reconnect.base == 12ms);
    CHECK(rules.reconnect.cap == 13s);
    CHECK(rules.reap == 14s);
    CHECK(rules.gauge == 15s);
    CHECK(rules.sweep == 16s);
    CHECK(rules.stop_deadline == 17s);
}

TEST_CASE("a handler's retry policy is its own, over its context's, over the default", "[worker]")
{
    const auto made = plan(R"({
        context: "shop", retry: {max_retries: 9, base: "3s"}, handlers: [
            {name: "shop.a", kind: "log", events: ["a"]},
            {name: "shop.b", kind: "log", events: ["b"], retry: {max_retries: 1},
             timeout: "4s"}]})");

    CHECK(made.handlers[0].retry.max_retries == 9);
    CHECK(made.handlers[0].retry.base == 3s);
    CHECK(made.handlers[0].timeout == duration{});
    CHECK(made.handlers[1].retry.max_retries == 1);
    CHECK(made.handlers[1].retry.base == 3s);
    CHECK(made.handlers[1].retry.multiplier == 2);
    CHECK(made.handlers[1].timeout == 4s);
}

TEST_CASE("a handler without a kind is one of those written in C++", "[worker]")
{
    const auto plain =
        plan(R"({context: "shop", handlers: [{name: "shop.mail"}]})", own_handlers());
    const auto changed = plan(
        R"({context: "shop", handlers: [
            {name: "shop.mail", events: ["x"], retry: {max_retries: 4}, timeout: "1s"}]})",
        own_handlers());

    CHECK(plain.handlers[0].event_types == std::vector<std::string>{"order.placed"});
    CHECK(plain.handlers[0].retry.max_retries == 2);
    CHECK(changed.handlers[0].event_types == std::vector<std::string>{"x"});
    CHECK(changed.handlers[0].retry.max_retries == 4);
    CHECK(changed.handlers[0].timeout == 1s);
    CHECK(handler_refusal(R"(name: "shop.mail")") ==
          "w.jaxn: /contexts/0/handlers/0/name: no handler of that name was registered; give it a "
          "kind: sql, webhook, exec, log or agent_tasks");
}

TEST_CASE("the tree shows each context with its handlers and how they are delivered", "[worker]")
{
    const auto config = worker::parse_config(
        R"({contexts: [
            {context: "shop", generation: 7, handlers: [
                {name: "shop.mail"},
                {name: "shop.totals", kind: "sql", events: ["b", "a"], statement: "select 1"}]},
            {context: "audit", generation: 8, workers: 2, lanes: 1, handlers: [
                {name: "audit.log", kind: "log", events: ["a"]}]}]})",
        "w.jaxn");

    CHECK(worker::describe(config, own_handlers()) == "shop  generation 7  workers 16  lanes 2\n"
                                                      "├── shop.mail  leased  order.placed\n"
                                                      "└── shop.totals  transactional  b a\n"
                                                      "audit  generation 8  workers 2  lanes 1\n"
                                                      "└── audit.log  leased  a\n");
}

TEST_CASE("a key that is not known is refused with the nearest one", "[worker]")
{
    CHECK(refusal("{contexts: [], thread: 2}") ==
          R"(w.jaxn: /: unknown key "thread", did you mean "threads"? valid keys: contexts, )"
          "threads, connections, log, http, alerts, traces");
    CHECK(
        context_refusal("worker: 3")
            .starts_with(R"(w.jaxn: /contexts/0: unknown key "worker", did you mean "workers"?)"));
    CHECK(handler_refusal(R"(name: "shop.a", kind: "sql", events: ["a"], statment: "select 1")")
              .starts_with(R"(w.jaxn: /contexts/0/handlers/0: unknown key "statment", )"
                           R"(did you mean "statement"?)"));
}

TEST_CASE("a handler that lacks something is refused with its place and what to do", "[worker]")
{
    const std::string at = "w.jaxn: /contexts/0/handlers/0";
    CHECK(handler_refusal("").starts_with(at + "/name: missing: a handler needs a name such as"));
    CHECK(handler_refusal(R"(name: "shop.a", kind: "log")")
              .starts_with(at + "/events: missing: say which event types it is for"));
    CHECK(handler_refusal(R"(name: "shop.a", kind: "cron", events: ["a"])")
              .starts_with(at + "/kind: no such kind: take one of sql, webhook, exec, log"));
    CHECK(handler_refusal(R"(name: "shop.a", kind: "sql", events: ["a"])")
              .starts_with(at + "/statement: "));
    CHECK(handler_refusal(R"(name: "shop.a", kind: "sql", events: ["a"], statement: " \n")")
              .starts_with(at + "/statement: is empty"));
    CHECK(handler_refusal(R"(name: "shop.a", kind: "exec", events: ["a"], command: [])")
              .starts_with(at + "/command: is empty"));
    CHECK(handler_refusal(R"(name: "shop.a", kind: "log", events: ["a"], level: "loud")")
              .starts_with(at + "/level: "));
    CHECK(handler_refusal(R"(name: "shop.a", kind: "log", events: "a")")
              .starts_with(at + "/events: "));
    CHECK(handler_refusal(R"(name: "shop.a", kind: "log", events: ["a"], timeout: 5)")
              .starts_with(at + "/timeout: "));
    CHECK(handler_refusal(R"(name: "unscoped", kind: "log", events: ["a"])") ==
          "handler \"unscoped\": the name has no scope; call it \"<context>.unscoped\"");
}

TEST_CASE("a webhook is sent in the open only to this machine, or when that is meant", "[worker]")
{
    const auto webhook = [](const std::string& keys) {
        return handler_refusal(R"(name: "shop.a", kind: "webhook", events: ["a"], )" + keys);
    };
    const std::string open = "w.jaxn: /contexts/0/handlers/0/url: is not https";
    const std::string wrong = "w.jaxn: /contexts/0/handlers/0/url: expected http://host/path";

    CHECK(webhook(R"(url: "http://shop.example/x")").starts_with(open));
    CHECK(webhook(R"(url: "http://127.0.0.1.evil.example/x")").starts_with(open));
    CHECK(webhook(R"(url: "http://u:p@127.0.0.1/")").starts_with(wrong));
    CHECK(webhook(R"(url: "shop.example")").starts_with(wrong));
    CHECK(webhook(R"(url: "http://shop.example/x", allow_plain_http: true)") == "not refused");
    CHECK(webhook(R"(url: "http://127.0.0.1/x")") == "not refused");
    CHECK(webhook(R"(url: "https://shop.example/x", headers: {Authorization: "Bearer x"})") ==
          "not refused");
    CHECK(webhook(R"(url: "https://h/", headers: {"X Y": "a"})")
              .starts_with("w.jaxn: /contexts/0/handlers/0/headers/X Y: "));
    CHECK(webhook(R"(url: "https://h/", headers: {X: "a\r\nY: b"})")
              .starts_with("w.jaxn: /contexts/0/handlers/0/headers/X: "));
}

TEST_CASE("a config that cannot run is refused before anything starts", "[worker]")
{
    CHECK(refusal("{contexts: []}").starts_with("w.jaxn: /contexts: is empty"));
    CHECK(refusal("{}").starts_with("w.jaxn: /contexts: "));
    CHECK(refusal("{contexts: [").starts_with("w.jaxn:1:"));
    CHECK(refusal(R"({contexts: [{context: "a", handlers: []}]})")
              .starts_with("w.jaxn: /contexts/0/handlers: is empty"));
    const std::string log = R"(contexts: [{context: "a", generation: 1, handlers: [{name: "a.log",
                               kind: "log", events: ["a"]}]}])";
    const auto one = [](const std::string& name) {
        return R"({context: "a", handlers: [{name: ")" + name +
               R"(", kind: "log", events: ["e"]}]})";
    };
    CHECK(refusal("{contexts: [" + one("a.x") + ", " + one("a.y") + "]}")
              .starts_with("w.jaxn: /contexts/1/context: \"a\" is there twice"));
    CHECK(refusal("{threads: 0, " + log + "}").starts_with("w.jaxn: /threads: "));
    CHECK(refusal("{threads: 257, " + log + "}").starts_with("w.jaxn: /threads: "));
    CHECK(refusal("{connections: 0, " + log + "}").starts_with("w.jaxn: /connections: "));
    CHECK(refusal("{connections: 10001, " + log + "}").starts_with("w.jaxn: /connections: "));
    CHECK(refusal("{http: {port: 65536}, " + log + "}").starts_with("w.jaxn: /http/port: "));
    CHECK(refusal(R"({contexts: [{context: "a", generation: 0, handlers: [{name: "a.b"}]}]})")
              .starts_with("w.jaxn: /contexts/0/generation: must be at least 1"));
    CHECK(refusal("{" + log + "}") == "not refused");
}

TEST_CASE("each rule of the configuration page is kept, and a refusal names its key", "[worker]")
{
    struct row
    {
        const char* key;
        const char* given;
    };
    const row table[] = {
        {"classes/1", R"(["bulk", "Not A Class"])"},
        {"workers", "0"},
        {"workers", "100001"},
        {"lanes", "0"},
        {"lanes", "257"},
        {"batch_min", "0"},
        {"batch_max", "9"},
        {"batch_time", R"("0s")"},
        {"lease", R"("0s")"},
        {"lease", R"("2s")"},
        {"poll", R"("0s")"},
        {"safety_poll", R"("0s")"},
        {"heartbeat", R"("0s")"},
        {"heartbeat", R"("20s")"},
        {"reap", R"("0s")"},
        {"gauge", R"("0s")"},
        {"sweep", R"("0s")"},
        {"reconnect_base", R"("0s")"},
        {"reconnect_cap", R"("999ms")"},
        {"retry/multiplier", "{multiplier: 0}"},
        {"retry/max_retries", "{max_retries: -1}"},
        {"retry/cap", R"({base: "10m"})"},
        {"supervision/intensity/within", R"({intensity: {within: "0s"}})"},
        {"supervision/backoff/multiplier", "{backoff: {multiplier: 0.5}}"},
        {"supervision/backoff/cap", R"({backoff: {base: "1m"}})"},
        {"retention", R"({handled_active: "1d"})"},
    };

    for (const row& each : table) {
        const std::string key(each.key);
        const std::string said = context_refusal(key.substr(0, key.find('/')) + ": " + each.given);
        INFO(said);
        CHECK(said.starts_with("w.jaxn: /contexts/0/" + key + ": "));
    }
    CHECK(
        context_refusal("workers: 1, stop_deadline: \"0s\", retention: {outbox_active: \"45d\"}") ==
        "not refused");
    CHECK(handler_refusal(R"(name: "a.b", kind: "log", events: ["a"], retry: {multiplier: 0})")
              .starts_with("w.jaxn: /contexts/0/handlers/0/retry/multiplier: must be at least 1"));
}

TEST_CASE("a program that cannot be run is refused with its place", "[worker]")
{
    const std::string at = "w.jaxn: /contexts/0/handlers/0";
    CHECK(handler_refusal(R"(name: "a.b", kind: "exec", events: ["a"], command: ["/no/such"])") ==
          at + "/command/0: there is no file \"/no/such\": give the path of the program");
    CHECK(handler_refusal(R"(name: "a.b", kind: "agent_tasks",
                             executors: {sum: {command: ["no-such-program"]}})")
              .starts_with(at + "/executors/sum/command/0: there is no program"));
}

TEST_CASE("a statement that no transaction of a delivery can run is refused", "[worker]")
{
    const auto said = [](const std::string& statement) {
        return handler_refusal(R"(name: "a.b", kind: "sql", events: ["a"], statement: ")" +
                               statement + "\"");
    };
    const std::string at = "w.jaxn: /contexts/0/handlers/0/statement: ";
    CHECK(said("commit").starts_with(at + "begins or ends a transaction"));
    CHECK(said("copy t from stdin").starts_with(at + "is copy, which"));
    CHECK(said("-- nothing").starts_with(at + "is empty"));
    CHECK(said("select 1") == "not refused");
}
