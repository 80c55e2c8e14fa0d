#include "http/serving.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::http;
using namespace cuebox::http::test;

namespace {

// What was asked, in a line.
awaitable<response> echo(request asked)
{
    response made;
    made.body = asked.method + " " + asked.path + " [" + asked.query + "] " +
                std::string(find_header(asked.headers, "x-note")) + " " + asked.body;
    co_return made;
}

awaitable<response> fail(request)
{
    throw std::runtime_error("the password is swordfish");
    co_return response{};
}

awaitable<response> wait_at(std::shared_ptr<barrier> gate, request)
{
    co_await gate->pass();
    response made;
    made.body = "done";
    co_return made;
}

request_handler waiting_at(const std::shared_ptr<barrier>& gate)
{
    return [gate](request asked) { return wait_at(gate, std::move(asked)); };
}

std::string refusal(server_options options)
{
    asio::io_context io;
    try {
        server{io.get_executor(), std::move(options), echo};
    }
    catch (const error& refused) {
        return refused.what();
    }
    return "not refused";
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

constexpr std::string_view get = "GET / HTTP/1.1\r\nHost: h\r\n\r\n";

}

TEST_CASE("a request reaches the handler, and its answer the client", "[http]")
{
    serving server(echo);
    raw_client client(server.port());

    const auto answer = client
                            .send("POST /a/b?c=d HTTP/1.1\r\nHost: h\r\nX-Note: hi\r\n"
                                  "Content-Length: 4\r\nConnection: close\r\n\r\nbody")
                            .response();

    CHECK(answer.starts_with("HTTP/1.1 200 OK\r\n"));
    CHECK(contains(answer, "Content-Type: text/plain; charset=utf-8\r\n"));
    CHECK(answer.ends_with("\r\n\r\nPOST /a/b [c=d] hi body"));
    CHECK(client.closed());
}

TEST_CASE("a connection carries one request after the other, also sent ahead", "[http]")
{
    serving server(echo);
    raw_client client(server.port());

    client.send("GET /1 HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client.response().ends_with("GET /1 []  "));
    client.send("GET /2 HTTP/1.1\r\nHost: h\r\n\r\nGET /3 HTTP/1.1\r\nHost: h\r\n\r\n");
    CHECK(client.response().ends_with("GET /2 []  "));
    CHECK(client.response().ends_with("GET /3 []  "));
}

TEST_CASE("HTTP/1.0 closes after the answer", "[http]")
{
    serving server(echo);
    raw_client client(server.port());

    CHECK(client.send("GET / HTTP/1.0\r\n\r\n").response().ends_with("GET / []  "));
    CHECK(client.closed());
}

TEST_CASE("HEAD is answered as GET, without the body", "[http]")
{
    serving server(echo);
    raw_client client(server.port());

    const auto head = client.send("HEAD /x HTTP/1.1\r\nHost: h\r\n\r\n").response(false);
    CHECK(contains(head, "Content-Length: 11\r\n"));
    CHECK(head.ends_with("\r\n\r\n"));

    client.send(get);
    CHECK(client.response().starts_with("HTTP/1.1 200 OK\r\n"));
}

TEST_CASE("a client that waits to be told sends its body when it is", "[http]")
{
    serving server(echo);
    raw_client client(server.port());

    client.send("POST / HTTP/1.1\r\nHost: h\r\nExpect: 100-continue\r\nContent-Length: 4\r\n\r\n");
    CHECK(client.response() == "HTTP/1.1 100 Continue\r\n\r\n");
    CHECK(client.send("late").response().ends_with("POST / []  late"));
}

TEST_CASE("a request that is too large or makes no sense is refused and cut off", "[http]")
{
    serving server(echo, {.limits = {.header_max = 1000, .body_max = 100}});
    struct row
    {
        std::string sent;
        std::string_view status;
    };
    const row table[] = {
        {"GET / HTTP/1.1\r\nX: " + std::string(2000, 'x') + "\r\n\r\n", "431"},
        {"GET /" + std::string(2000, 'x') + " HTTP/1.1\r\n\r\n", "431"},
        {"POST / HTTP/1.1\r\nContent-Length: 101\r\n\r\n" + std::string(101, 'x'), "413"},
        {"POST / HTTP/1.1\r\nContent-Length: 99999999999999\r\n\r\n", "413"},
        {"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n" + std::string(255, 'x') +
             "\r\n0\r\n\r\n",
         "413"},
        {"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "400"},
        {"\r\n\r\nnonsense\r\n\r\n", "400"},
        {std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03", 10), "400"},
    };

    for (const row& each : table) {
        INFO(each.sent.substr(0, 60));
        raw_client client(server.port());
        const auto answer = client.send(each.sent).response();
        CHECK(answer.substr(0, 13) == "HTTP/1.1 " + std::string(each.status) + " ");
        CHECK(contains(answer, "Connection: close\r\n"));
    }
    CHECK(server.trouble().empty());
}

TEST_CASE("what a handler throws is told to the operator and to nobody else", "[http]")
{
    serving server(fail);
    raw_client client(server.port());

    const auto answer = client.send("GET /x?token=secret HTTP/1.1\r\nHost: h\r\n\r\n").response();

    CHECK(answer.starts_with("HTTP/1.1 500 Internal Server Error\r\n"));
    CHECK(answer.ends_with("\r\n\r\nInternal Server Error\n"));
    CHECK(server.trouble() == std::vector<std::string>{"GET /x failed: the password is swordfish"});
    CHECK(client.send(get).response().starts_with("HTTP/1.1 500 "));
}

TEST_CASE("an answer that would not be HTTP is a 500", "[http]")
{
    const response bad[] = {{.status = 99, .body = {}, .headers = {}},
                            {.status = 1000, .body = {}, .headers = {}},
                            {.content_type = "a\r\nX-Evil: 1", .body = {}, .headers = {}},
                            {.body = {}, .headers = {{"X Y", "z"}}}};
    for (const response& each : bad) {
        serving server([&each](request) -> awaitable<response> {
            return [](response made) -> awaitable<response> { co_return made; }(each);
        });
        CHECK(raw_client(server.port()).send(get).response().starts_with("HTTP/1.1 500 "));
        CHECK(server.trouble().size() == 1);
    }
}

TEST_CASE("a client that sends a byte now and then is cut off, and holds up nobody", "[http]")
{
    serving server(echo, {.limits = {.header_max = 1'000'000, .read_within = 200ms}});
    raw_client slow(server.port());
    raw_client other(server.port());
    slow.send("GET / HTTP/1.1\r\nX: ");

    while (!slow.cut_off()) {
        slow.send("x");
        REQUIRE(other.send(get).response().starts_with("HTTP/1.1 200 "));
    }

    CHECK(slow.closed());
}

TEST_CASE("a client that does not send all of its request is cut off", "[http]")
{
    serving server(echo, {.limits = {.read_within = 50ms}});
    for (const char* part : {"GET / HT", "POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc"})
        CHECK(raw_client(server.port()).send(part).closed());
}

TEST_CASE("a client that sends nothing at all is cut off", "[http]")
{
    serving server(echo, {.limits = {.idle_within = 50ms}});
    raw_client silent(server.port());

    CHECK(silent.closed());
}

TEST_CASE("a client that does not read its answer is cut off", "[http]")
{
    serving server(
        [](request) -> awaitable<response> {
            return []() -> awaitable<response> {
                response made;
                made.body.assign(64 * 1024 * 1024, 'x');
                co_return made;
            }();
        },
        {.limits = {.write_within = 100ms, .stop_within = 10min}});
    raw_client deaf(server.port());
    deaf.send(get);

    // Its answer has begun, so that a stop lets it go on until its own deadline.
    CHECK(deaf.response(false).starts_with("HTTP/1.1 200 "));
    server.stop();
    server.await_end();
}

TEST_CASE("when there are too many, whoever kept the server waiting longest goes", "[http]")
{
    serving server(echo, {.limits = {.connections_max = 2}});
    raw_client first(server.port());
    CHECK(first.send(get).response().starts_with("HTTP/1.1 200 "));
    raw_client second(server.port());
    CHECK(second.send(get).response().starts_with("HTTP/1.1 200 "));

    raw_client third(server.port());
    CHECK(third.send(get).response().starts_with("HTTP/1.1 200 "));

    CHECK(first.closed());
    CHECK(second.send(get).response().starts_with("HTTP/1.1 200 "));
}

TEST_CASE("when all are being served, one more is turned away", "[http]")
{
    const auto gate = std::make_shared<barrier>();
    serving server(waiting_at(gate), {.limits = {.connections_max = 1}});
    raw_client first(server.port());
    first.send(get);
    gate->await_entry();

    raw_client second(server.port());
    CHECK(second.response().starts_with("HTTP/1.1 503 "));
    CHECK(second.closed());

    gate->open();
    CHECK(first.response().ends_with("done"));
}

TEST_CASE("a handler that takes too long is cancelled", "[http]")
{
    const auto gate = std::make_shared<barrier>();
    serving server(waiting_at(gate), {.limits = {.handle_within = 50ms}});

    const auto answer = raw_client(server.port()).send(get).response();

    CHECK(answer.starts_with("HTTP/1.1 503 "));
    CHECK(server.trouble() == std::vector<std::string>{"GET / took too long and was cancelled"});
}

TEST_CASE("a stop lets a request that runs finish and turns everybody else away", "[http]")
{
    const auto gate = std::make_shared<barrier>();
    serving server(waiting_at(gate), {.limits = {.stop_within = 10min}});
    raw_client idle(server.port());
    raw_client half(server.port());
    half.send("GET / HT");
    raw_client running(server.port());
    running.send(get);
    gate->await_entry();

    server.stop();
    server.stop();
    CHECK(idle.closed());
    CHECK(half.closed());
    gate->open();

    const auto answer = running.response();
    CHECK(contains(answer, "Connection: close\r\n"));
    CHECK(answer.ends_with("done"));
    CHECK(running.closed());
    server.await_end();
}

TEST_CASE("a stop cancels a request that does not finish by its deadline", "[http]")
{
    const auto gate = std::make_shared<barrier>();
    serving server(waiting_at(gate), {.limits = {.stop_within = 50ms}});
    raw_client running(server.port());
    running.send(get);
    gate->await_entry();

    server.stop();
    server.await_end();

    CHECK(running.closed());
}

TEST_CASE("a server that is cancelled takes its requests along", "[http]")
{
    asio::io_context io{1};
    const auto gate = std::make_shared<barrier>();
    server serves(io.get_executor(), {.limits = {.stop_within = 10min}}, waiting_at(gate));
    scope work(io.get_executor());
    work.spawn(serves.run());
    std::thread thread([&io] { io.run(); });
    raw_client running(serves.port());
    running.send(get);
    gate->await_entry();

    asio::post(io, [&work] { work.cancel(); });
    thread.join();

    CHECK(work.alive() == 0);
    CHECK(running.closed());
}

TEST_CASE("a server that was stopped before it ran does not run", "[http]")
{
    asio::io_context io{1};
    server serves(io.get_executor(), {}, echo);
    serves.stop();

    auto ended = asio::co_spawn(io, serves.run(), asio::use_future);
    io.run();

    CHECK_NOTHROW(ended.get());
}

TEST_CASE("an address that cannot be had is refused with what to do about it", "[http]")
{
    serving taken(echo);
    const std::string place = "127.0.0.1:" + std::to_string(taken.port());

    CHECK(refusal({.port = taken.port()}) ==
          "cannot listen at " + place +
              ": another program listens there: stop it, give another port, or 0 for a free one");
    CHECK(refusal({.host = "192.0.2.1"}) ==
          "cannot listen at 192.0.2.1:0: not an address of this machine: give 127.0.0.1, or "
          "0.0.0.0 for all it has");
    for (const char* host : {"", "*", "example.com", "127.0.0.1:80"})
        CHECK(refusal({.host = host}).starts_with("\"" + std::string(host) + "\" is no address"));
}

TEST_CASE("everybody is listened to only when that is written out", "[http]")
{
    asio::io_context io;
    CHECK(server(io.get_executor(), {}, echo).address().starts_with("127.0.0.1:"));
    CHECK(server(io.get_executor(), {.host = "localhost"}, echo).port() > 0);
    CHECK(server(io.get_executor(), {.host = "0.0.0.0"}, echo).address().starts_with("0.0.0.0:"));
}
