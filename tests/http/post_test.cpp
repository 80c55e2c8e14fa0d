#include "http/serving.hpp"

#include <cuebox/http/lookup.hpp>
#include <cuebox/http/post.hpp>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::http;
using namespace cuebox::http::test;

namespace {

template <class T>
T finish(awaitable<T> work)
{
    asio::io_context io{1};
    auto end = asio::co_spawn(io, std::move(work), asio::use_future);
    io.run();
    return end.get();
}

answer post_to(const std::string& where, headers more = {}, post_options options = {})
{
    return finish(post(make_post_target(parse_url(where).value(), {{"Authorization", "swordfish"}}),
                       std::move(more), "{}", std::move(options)));
}

std::string failure(const std::string& where, post_options options = {})
{
    try {
        return "answered " + std::to_string(post_to(where, {}, std::move(options)).status);
    }
    catch (const error& failed) {
        return failed.what();
    }
}

}

TEST_CASE("a post brings body and headers, and back come status and headers", "[http]")
{
    request got;
    serving server([&got](request asked) -> awaitable<response> {
        got = std::move(asked);
        return []() -> awaitable<response> {
            response made;
            made.status = 429;
            made.headers.emplace_back("Retry-After", "7");
            co_return made;
        }();
    });

    const answer back = post_to(server.url("/a?b=c"), {{"X-Note", "hi"}},
                                {.content_type = "text/x-note", .within = 30s});

    CHECK(back.status == 429);
    CHECK(find_header(back.headers, "retry-after") == "7");
    CHECK(got.method == "POST");
    CHECK(got.path + "?" + got.query == "/a?b=c");
    CHECK(got.body == "{}");
    CHECK(find_header(got.headers, "X-Note") == "hi");
    CHECK(find_header(got.headers, "Content-Type") == "text/x-note");
    CHECK(find_header(got.headers, "Authorization") == "swordfish");
}

TEST_CASE("a redirect is an answer, not a way", "[http]")
{
    std::vector<std::string> asked;
    serving server([&asked](request from) -> awaitable<response> {
        asked.push_back(from.path);
        return []() -> awaitable<response> {
            response made;
            made.status = 307;
            made.headers.emplace_back("Location", "/elsewhere");
            co_return made;
        }();
    });

    CHECK(post_to(server.url("/here")).status == 307);
    CHECK(asked == std::vector<std::string>{"/here"});
}

TEST_CASE("a host is found by its name", "[http]")
{
    serving server([](request) -> awaitable<response> {
        return []() -> awaitable<response> { co_return response{}; }();
    });

    CHECK(post_to("http://localhost:" + std::to_string(server.port()) + "/").status == 200);
}

TEST_CASE("a receiver that does not answer is given up at the deadline", "[http]")
{
    const hanging_receiver receiver;

    CHECK(failure(receiver.url("/secret"), {.within = 50ms}) ==
          "127.0.0.1:" + std::to_string(receiver.port()) + ": answer: no answer in time");
}

TEST_CASE("a receiver that is not there is named, and no secret with it", "[http]")
{
    std::string gone;
    {
        const hanging_receiver receiver;
        gone = receiver.url("/secret?token=secret");
    }

    const std::string said = failure(gone);

    CHECK(said == parse_url(gone)->authority() + ": connect: Connection refused");
}

TEST_CASE("a receiver without TLS where there should be one is an error", "[http]")
{
    serving server([](request) -> awaitable<response> {
        return []() -> awaitable<response> { co_return response{}; }();
    });

    const std::string place = "127.0.0.1:" + std::to_string(server.port());
    CHECK(failure("https://" + place + "/").starts_with(place + ": TLS: "));
}

TEST_CASE("a post that is cancelled closes its connection", "[http]")
{
    asio::io_context io{1};
    asio::ip::tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0});
    const url where =
        parse_url("http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()) + "/")
            .value();
    asio::cancellation_signal cancel;
    auto end = asio::co_spawn(io, post(make_post_target(where), {}, "{}"),
                              asio::bind_cancellation_slot(cancel.slot(), asio::use_future));
    asio::ip::tcp::socket taken(io);
    std::string received;
    bool closed = false;
    const std::function<void()> read_on = [&] {
        asio::async_read_until(taken, asio::dynamic_buffer(received), "{}",
                               [&](const error_code& ended, std::size_t size) {
                                   closed = ended == asio::error::eof;
                                   if (ended)
                                       return;
                                   received.erase(0, size);
                                   cancel.emit(asio::cancellation_type::terminal);
                                   read_on();
                               });
    };
    acceptor.async_accept(taken, [&](const error_code&) { read_on(); });

    io.run();

    CHECK_THROWS_AS(end.get(), boost::system::system_error);
    CHECK(closed);
}

TEST_CASE("a name that hangs is given up at the deadline and holds up no other", "[http]")
{
    std::promise<void> answer;
    const std::shared_future<void> late = answer.get_future();
    const auto how = [late](const std::string& host) {
        if (host == "slow.example")
            late.wait();
        return lookup_result{.addresses = {"192.0.2.7"}, .failure = {}};
    };
    const auto soon = [](duration in) { return std::chrono::steady_clock::now() + in; };

    const auto slow = finish(resolve("slow.example", soon(20ms), how));
    const auto fast = finish(resolve("fast.example", soon(30s), how));
    answer.set_value();

    CHECK(slow.addresses.empty());
    CHECK(slow.failure == "no answer in time");
    CHECK(fast.addresses == std::vector<std::string>{"192.0.2.7"});
}

TEST_CASE("an address needs no look-up", "[http]")
{
    const auto never = [](const std::string&) -> lookup_result {
        throw std::logic_error("looked up");
    };

    CHECK(finish(resolve("192.0.2.1", {}, never)).addresses.front() == "192.0.2.1");
    CHECK(finish(resolve("::1", {}, never)).addresses.front() == "::1");
}
