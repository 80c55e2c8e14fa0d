#include "alerts/some_alert.hpp"
#include "http/serving.hpp"

#include <cuebox/alerts/dispatcher.hpp>

#include <boost/asio/executor_work_guard.hpp>
#include <catch2/catch_test_macros.hpp>

#include <condition_variable>

using namespace cuebox;
using namespace cuebox::alerts;
using namespace cuebox::alerts::test;
using cuebox::http::test::hanging_receiver;
using cuebox::http::test::serving;
using namespace std::chrono_literals;

namespace {

awaitable<http::response> say(unsigned status)
{
    http::response made;
    made.status = status;
    if (status == 429)
        made.headers.emplace_back("Retry-After", "0");
    co_return made;
}

// Keeps what it gets; the first so many it turns away with a 429.
class receiver
{
public:
    explicit receiver(std::size_t turned_away = 0) : turned_away_(turned_away) {}

    std::string url(const std::string& path) const { return server_.url(path); }
    std::vector<http::request> await_requests(std::size_t count)
    {
        std::unique_lock lock(mutex_);
        arrived_.wait_for(lock, std::chrono::seconds(60), [&] { return got_.size() >= count; });
        return got_;
    }

private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::vector<http::request> got_;
    std::size_t turned_away_;
    serving server_{[this](http::request asked) {
        const std::lock_guard lock(mutex_);
        got_.push_back(std::move(asked));
        arrived_.notify_all();
        return say(got_.size() <= turned_away_ ? 429 : 200);
    }};
};

sink_options webhook(const std::string& url)
{
    sink_options made;
    made.name = "webhook";
    made.kind = webhook_sink{.to = http::parse_url(url).value(),
                             .headers = {{"Authorization", "Bearer swordfish"}}};
    return made;
}

// A dispatcher on a thread of its own.
class office
{
public:
    explicit office(std::vector<sink_options> sinks, dispatcher_options options = {})
        : post_(loop_, std::move(sinks), std::move(options)),
          thread_([this] { io_.run(); })
    {
        post_.start();
    }
    ~office()
    {
        stop();
        guard_.reset();
        thread_.join();
    }
    office(const office&) = delete;
    office& operator=(const office&) = delete;

    dispatcher& post() { return post_; }
    // Returns when it has ended.
    void stop()
    {
        post_.stop();
        asio::co_spawn(io_, post_.ended(), asio::use_future).get();
    }

private:
    asio::io_context io_{1};
    asio::executor_work_guard<asio::io_context::executor_type> guard_{io_.get_executor()};
    cuebox::loop loop_{io_.get_executor()};
    dispatcher post_;
    std::thread thread_;
};

}

TEST_CASE("an alert arrives at a webhook over HTTP", "[alerts]")
{
    receiver there;
    office office({webhook(there.url("/hook?a=b"))});

    office.post().sink()(some_alert());

    const auto got = there.await_requests(1).at(0);
    CHECK(got.method == "POST");
    CHECK(got.path == "/hook");
    CHECK(got.query == "a=b");
    CHECK(http::find_header(got.headers, "Content-Type") == "application/json");
    CHECK(http::find_header(got.headers, "Authorization") == "Bearer swordfish");
    CHECK(got.body.starts_with(R"({"event_id":"019358cc-6d2b-7cc1-9f8e-0123456789ab",)"));
}

TEST_CASE("an alert arrives at Sentry over HTTP", "[alerts]")
{
    receiver there;
    sink_options sentry;
    sentry.name = "sentry";
    sentry.kind = sentry_sink{
        .to = parse_dsn("http://abc@" + there.url("").substr(7) + "/sentry/42"), .from = {}};
    office office({sentry});

    office.post().sink()(some_alert());

    const auto got = there.await_requests(1).at(0);
    CHECK(got.path == "/sentry/api/42/envelope/");
    CHECK(http::find_header(got.headers, "Content-Type") == "application/x-sentry-envelope");
    CHECK(http::find_header(got.headers, "X-Sentry-Auth").ends_with("sentry_key=abc"));
    CHECK(std::ranges::count(got.body, '\n') == 3);
    // The name of this machine, since nobody gave another.
    CHECK(got.body.find(R"("server_name":")") != std::string::npos);
}

TEST_CASE("a receiver that was busy gets the same alert again", "[alerts]")
{
    receiver there(2);
    auto sink = webhook(there.url("/"));
    sink.rules.backoff.base = 1ms;
    office office({sink});

    office.post().sink()(some_alert());
    const auto got = there.await_requests(3);
    office.stop();

    const auto counts = office.post().counts().at(0);
    CHECK(counts.delivered == 1);
    CHECK(counts.failed == 2);
    for (const http::request& each : got) {
        CHECK(each.body == got[0].body);
        CHECK(http::find_header(each.headers, "Idempotency-Key") ==
              http::find_header(got[0].headers, "Idempotency-Key"));
    }
}

TEST_CASE("a receiver that hangs costs its own alerts alone, and ends with the rest", "[alerts]")
{
    const hanging_receiver hangs;
    receiver works;
    std::vector<sink_options> sinks{webhook(hangs.url("/")), webhook(works.url("/"))};
    sinks[0].capacity = 10;
    office office(sinks, {.stop_within = 100ms});
    const auto sink = office.post().sink();

    for (int i = 0; i < 200; ++i)
        sink(some_alert());
    works.await_requests(200);
    office.stop();

    const auto counts = office.post().counts();
    CHECK(counts[0].dropped_for(drop_reason::full) == 190);
    CHECK(counts[0].dropped_for(drop_reason::stopped) == 10);
    CHECK(counts[0].waiting == 0);
    CHECK(counts[1].delivered == 200);
}

TEST_CASE("a receiver that does not answer in time is tried again", "[alerts]")
{
    const hanging_receiver hangs;
    auto sink = webhook(hangs.url("/secret"));
    sink.timeout = 20ms;
    sink.rules = {.attempts_max = 2, .backoff = {.base = 1ms}};
    std::promise<std::string> said;
    const telemetry::logger log([&said](const telemetry::line& line) {
        said.set_value(std::get<std::string>(line.fields[1].value));
    });
    office office({sink}, {.log = log});

    office.post().sink()(some_alert());
    const std::string why = said.get_future().get();
    office.stop();

    CHECK(why == "127.0.0.1:" + std::to_string(hangs.port()) + ": answer: no answer in time");
    const auto counts = office.post().counts().at(0);
    CHECK(counts.delivered == 0);
    CHECK(counts.failed >= 1);
    CHECK(counts.dropped_for(drop_reason::exhausted) + counts.dropped_for(drop_reason::stopped) ==
          1);
}

TEST_CASE("alerts from many threads are all accounted for", "[alerts][threads]")
{
    receiver works;
    auto narrow = webhook(works.url("/"));
    narrow.capacity = 100;
    office office({narrow, sink_options{.capacity = 7}});
    const auto sink = office.post().sink();

    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i)
        threads.emplace_back([&sink] {
            for (int alert = 0; alert < 500; ++alert)
                sink(some_alert());
        });
    for (std::thread& each : threads)
        each.join();
    office.stop();

    for (const sink_counts& each : office.post().counts()) {
        std::uint64_t sum = each.delivered + each.waiting;
        for (const std::uint64_t dropped : each.dropped)
            sum += dropped;
        CHECK(sum == 2000);
        CHECK(each.waiting == 0);
        CHECK(each.delivered > 0);
    }
}
