#include "worker/http_receiver.hpp"
#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::worker::test;

namespace {

std::string webhook(const http_receiver& to, const std::string& more = "")
{
    return R"({"name": "test.hook", "kind": "webhook", "events": ["test.hook"], "url": ")" +
           to.url("/hook?a=b") + R"(", "retry": {"base": "1ms", "cap": "1ms"})" + more + "}";
}

}

TEST_CASE("a webhook posts the envelope with headers that tell one event from another", "[worker]")
{
    workshop shop;
    const http_receiver receiver([](const std::string&, std::size_t) { return 200; });
    const auto worker = shop.start_stock(
        {.handlers = webhook(receiver, R"(, "headers": {"Authorization": "Bearer ${TOKEN}"})")},
        {{"TOKEN", "s3cret"}});

    shop.database.query("select core.outbox_publish('test.hook', 'test', 7, '{\"number\": 5}', "
                        "p_idempotency_key => 'key-1', p_trace_context => "
                        "'00-11111111111111111111111111111111-2222222222222222-01')");

    REQUIRE(shop.reaches("delivered 0: 1"));
    const auto requests = receiver.requests();
    REQUIRE(requests.size() == 1);
    const std::string& got = requests.front();
    INFO(got);
    CHECK(got.starts_with("POST /hook?a=b HTTP/1.1\r\n"));
    CHECK(contains(got, "\r\nIdempotency-Key: key-1\r\n"));
    CHECK(contains(got, "\r\nX-Cuebox-Event-Id: " +
                            shop.database.query("select id from core.outbox") + "\r\n"));
    CHECK(contains(got, "\r\nX-Cuebox-Event-Type: test.hook\r\n"));
    CHECK(contains(got, "\r\nX-Cuebox-Attempt: 1\r\n"));
    CHECK(contains(got, "\r\nX-Cuebox-Claim-Token: "));
    CHECK(contains(got, "\r\ntraceparent: 00-11111111111111111111111111111111-"));
    CHECK(contains(got, "\r\nAuthorization: Bearer s3cret\r\n"));
    CHECK(contains(got, "\r\nContent-Type: application/json\r\n"));
    CHECK(contains(got, R"("payload":{"number": 5})"));
    CHECK(worker->stop() == 0);
    CHECK_FALSE(contains(worker->log(), "s3cret"));
}

TEST_CASE("a webhook that is answered 500 or 429 is tried again", "[worker]")
{
    workshop shop;
    const http_receiver receiver([](const std::string&, std::size_t before) {
        return before == 0 ? 500 : before == 1 ? 429 : 204;
    });
    const auto worker = shop.start_stock({.handlers = webhook(receiver)});

    shop.publish("test.hook", "{}");

    CHECK(shop.reaches("delivered 2: 1"));
    const auto requests = receiver.requests();
    REQUIRE(requests.size() == 3);
    CHECK(contains(requests[2], "\r\nX-Cuebox-Attempt: 3\r\n"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a webhook that is answered 404 is a dead letter at once", "[worker]")
{
    workshop shop;
    const http_receiver receiver([](const std::string&, std::size_t) { return 404; });
    const auto worker = shop.start_stock({.handlers = webhook(receiver)});

    shop.publish("test.hook", "{}");

    CHECK(shop.reaches("failed 0: 1"));
    CHECK(shop.database.query("select last_error from core.outbox") ==
          "HTTP 404: " + receiver.url(" answered 404").substr(7));
    CHECK(receiver.requests().size() == 1);
    CHECK(eventually([&] { return contains(worker->log(), "dead letter"); }));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a receiver that is not there is tried again", "[worker]")
{
    workshop shop;
    std::string gone;
    {
        const http_receiver receiver([](const std::string&, std::size_t) { return 200; });
        gone = webhook(receiver);
    }
    const auto worker = shop.start_stock({.handlers = gone});

    shop.publish("test.hook", "{}");

    CHECK(shop.reaches("failed 5: 1"));
    const std::string error = shop.database.query("select last_error from core.outbox");
    INFO(error);
    CHECK(error.starts_with("http.error: 127.0.0.1:"));
    CHECK(contains(error, "refused"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a receiver that does not answer in time is tried again", "[worker]")
{
    workshop shop;
    const http_receiver receiver(
        [](const std::string&, std::size_t before) { return before == 0 ? 0 : 200; });
    const auto worker =
        shop.start_stock({.handlers = webhook(receiver, R"(, "timeout": "300ms")")});

    shop.publish("test.hook", "{}");

    CHECK(shop.reaches("delivered 1: 1"));
    CHECK(receiver.requests().size() == 2);
    CHECK(worker->stop() == 0);
}

TEST_CASE("no key of an event can write a header of its own", "[worker]")
{
    workshop shop;
    const http_receiver receiver([](const std::string&, std::size_t) { return 200; });
    const auto worker = shop.start_stock({.handlers = webhook(receiver)});

    // As rows may be that are older than the rule which refuses such keys.
    shop.database.query("alter table core.outbox disable trigger outbox_row_is_valid; "
                        "select core.outbox_publish('test.hook', 'test', 7, '{}', "
                        "p_idempotency_key => E'a\\r\\nX-Evil: 1')");

    CHECK(eventually([&] {
        return shop.database.query("select status from core.outbox") != "pending" ||
               !receiver.requests().empty();
    }));
    for (const auto& each : receiver.requests())
        CHECK_FALSE(contains(each, "\r\nX-Evil"));
    CHECK(worker->stop() == 0);
}
