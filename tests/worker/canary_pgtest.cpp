// No password and no payload in any log, at any level, on any way that an event or a connection can
// go wrong. Whatever the rest of the tests run is searched for the same canaries by workshop,
// running_context and process; here are the ways that are likeliest to quote something.

#include "support/http_get.hpp"
#include "worker/http_receiver.hpp"
#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::worker::test;
namespace canary = cuebox::test::canary;

namespace {

const std::string secret{canary::payload};

// Each fails, in its own words, over an event that carries the canary in every field it can.
const std::string failing_handlers = R"json(
    {"name": "test.cast", "kind": "sql", "events": ["test.cast"],
     "statement": "select ($3->>'secret')::int"},
    {"name": "test.unique", "kind": "sql", "events": ["test.unique"],
     "statement": "insert into once select $3->>'secret' from generate_series(1, 2)"},
    {"name": "test.check", "kind": "sql", "events": ["test.check"],
     "statement": "insert into never values ($3->>'secret')"},
    {"name": "test.raise", "kind": "sql", "events": ["test.raise"],
     "statement": "select refuse($3)", "retry": {"max_retries": 0}},
    {"name": "test.exec", "kind": "exec", "events": ["test.exec"],
     "command": ["sh", "-c", "cat > /dev/null; exit 65"], "environment": {"SECRET": "${SECRET}"}},
    {"name": "test.missing", "kind": "exec", "events": ["test.missing"],
     "command": ["${PROGRAM}", "${SECRET}"], "retry": {"max_retries": 0}},
    {"name": "test.note", "kind": "log", "events": ["test.note"], "level": "info"})json";

std::string hook(const http_receiver& to)
{
    return R"(, {"name": "test.hook", "kind": "webhook", "events": ["test.hook"], "url": ")" +
           to.url("/hook?token=${SECRET}") +
           R"(", "headers": {"Authorization": "Bearer ${SECRET}"}, "retry": {"max_retries": 0}})";
}

std::string alert(const http_receiver& to)
{
    return R"("alerts": [{"kind": "log"}, {"kind": "webhook", "url": ")" + to.url("/${SECRET}") +
           R"(", "headers": {"Authorization": "Bearer ${SECRET}"}, "attempts": 1}], )";
}
}

TEST_CASE("no way for an event to fail brings its payload into a log", "[worker]")
{
    workshop shop;
    shop.database.query("create table once (word text primary key);"
                        "create table never (word text check (word is null));"
                        "create function refuse(p jsonb) returns void language plpgsql as $$ begin "
                        "raise exception 'refused' using detail = p::text, hint = 'none'; end $$");
    const http_receiver receiver([](const std::string&, std::size_t) { return 400; });
    const std::string program = (shop.files / "missing").string();
    std::filesystem::copy_file("/bin/true", program);
    const auto worker = shop.start_stock(
        {.handlers = failing_handlers + hook(receiver), .process = alert(receiver)},
        {{"SECRET", std::string(canary::password)}, {"PROGRAM", program}});
    REQUIRE(worker->listens());
    std::filesystem::remove(program);

    for (const char* type : {"test.cast", "test.unique", "test.check", "test.raise", "test.exec",
                             "test.missing", "test.hook", "test.note"})
        shop.publish(type, 1, 2);

    CHECK(eventually([&] {
        return shop.database.query(
                   "select count(*) filter (where status = 'failed') || ' ' || "
                   "count(*) filter (where status = 'delivered') from core.outbox") == "14 2";
    }));
    CHECK(eventually([&] { return contains(worker->log(), "dead letter"); }));
    CHECK(worker->stop() == 0);
    CHECK_FALSE(canary::heard(worker->log()));
    // Nor into what an alert says; the event itself is posted to the webhook with its payload.
    for (const std::string& each : receiver.requests())
        if (!contains(each, "/hook?token="))
            CHECK_FALSE(contains(each.substr(each.find("\r\n\r\n")), canary::payload));
    // Nor into what an operator lists.
    CHECK_FALSE(
        canary::heard(shop.database.query("select string_agg(last_error, ' ') from core.outbox")));
}

TEST_CASE("no way for a connection to fail brings its password into what is said", "[worker]")
{
    const std::string password{canary::password};
    const std::string places[] = {"postgresql://someone:" + password + "@127.0.0.1:1/none",
                                  "postgresql://someone:" + password +
                                      "@127.0.0.1:1/none?sslmode=never",
                                  "postgresql://someone:" + password + "@no-such-host.invalid/none",
                                  "host=127.0.0.1 port=1 user=someone password=" + password,
                                  "host=127.0.0.1 port=1 user=someone password='" + password,
                                  "postgresql://some%one:" + password + "@127.0.0.1:1/none",
                                  "password=" + password + " nonsense=1"};

    for (const std::string& each : places) {
        const auto refused = cuebox::test::run(CUEBOX, {"status", "--database", each});
        CHECK(refused.exit == 1);
        CHECK_FALSE(canary::heard(refused.out + refused.err));
    }
}

TEST_CASE("a payload that cannot be published is refused without being quoted", "[worker]")
{
    workshop shop;
    const std::string payloads[] = {"{\"secret\": \"" + secret + "\"", "\"" + secret + "\\u0000\"",
                                    "{\"secret\": \"" + secret + "\xff\"}", secret,
                                    "{\"secret\": \"" + secret + "\", \"amount\": 1e999999}"};

    for (const std::string& each : payloads) {
        const auto refused = cuebox::test::run(
            CUEBOX, {"publish", "--type", "test.note", "--source", "test", "--generation", "7",
                     "--payload", each, "--database", shop.database.conninfo()});
        INFO(each);
        CHECK(refused.exit == 1);
    }
}
