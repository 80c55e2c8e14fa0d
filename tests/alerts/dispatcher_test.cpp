#include "alerts/some_alert.hpp"

#include <cuebox/alerts/dispatcher.hpp>
#include <cuebox/runtime/stage.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <catch2/catch_test_macros.hpp>

#include <map>

using namespace cuebox;
using namespace cuebox::alerts;
using namespace cuebox::alerts::test;
using namespace std::chrono_literals;

namespace {

constexpr unsigned no_answer = 0;

awaitable<http::answer> give(http::answer made)
{
    if (made.status == no_answer) {
        const asio::any_io_executor executor = co_await asio::this_coro::executor;
        asio::steady_timer never(executor, asio::steady_timer::time_point::max());
        co_await never.async_wait(asio::use_awaitable);
    }
    co_return made;
}

// Receivers by host: each answers what it is told to, the last answer again and again.
struct receivers
{
    struct receiver
    {
        std::vector<http::answer> answers{};
        std::vector<std::string> ids{};
    };
    std::map<std::string, receiver> all{};

    transport send()
    {
        return [this](std::shared_ptr<const http::post_target> target, http::headers headers,
                      std::string, http::post_options) {
            receiver& one = all[target->where.host];
            one.ids.emplace_back(http::find_header(headers, "Idempotency-Key"));
            return give(one.answers.at(std::min(one.ids.size(), one.answers.size()) - 1));
        };
    }
    std::size_t requests(const std::string& host) { return all[host].ids.size(); }
};

sink_options webhook(const std::string& host, std::size_t capacity = 1000)
{
    sink_options made;
    made.name = host;
    made.kind = webhook_sink{.to = http::parse_url("https://" + host + "/").value(), .headers = {}};
    made.capacity = capacity;
    return made;
}

// A dispatcher whose time is the test's.
struct office
{
    explicit office(std::vector<sink_options> sinks,
                    std::map<std::string, std::vector<http::answer>> answers = {})
    {
        for (auto& [host, given] : answers)
            there.all[host].answers = given;
        const telemetry::logger log([this](const telemetry::line& line) {
            lines.emplace_back(line.message);
            for (const auto& each : line.fields)
                if (const auto* text = std::get_if<std::string>(&each.value))
                    lines.back() += " " + each.key + "=" + *text;
        });
        post.emplace(stage.loop(), std::move(sinks),
                     dispatcher_options{.stop_within = 5s, .log = log, .send = there.send()});
        post->start();
        stage.run_until_idle();
    }
    ~office() { end(); }

    void raise(std::size_t alerts = 1)
    {
        const auto sink = post->sink();
        for (std::size_t i = 0; i < alerts; ++i)
            sink(some_alert());
    }
    void end()
    {
        post->stop();
        stage.advance(20s);
        REQUIRE(post->has_ended());
    }
    // "delivered 1 failed 2 full 0 refused 0 exhausted 0 stopped 0 waiting 0", without the zeros.
    std::string counts(std::size_t sink = 0)
    {
        const sink_counts now = post->counts().at(sink);
        std::string out;
        const auto add = [&out](std::string_view name, std::uint64_t count) {
            if (count > 0)
                out += (out.empty() ? "" : " ") + std::string(name) + " " + std::to_string(count);
        };
        add("delivered", now.delivered);
        add("failed", now.failed);
        for (const auto why : {drop_reason::full, drop_reason::refused, drop_reason::exhausted,
                               drop_reason::stopped})
            add(to_string(why), now.dropped_for(why));
        add("waiting", now.waiting);
        return out;
    }

    cuebox::stage stage;
    receivers there;
    std::vector<std::string> lines;
    std::optional<dispatcher> post;
};

}

TEST_CASE("every sink gets every alert", "[alerts]")
{
    office office({webhook("a"), webhook("b")}, {{"a", {{200}}}, {"b", {{202}}}});

    office.raise(3);
    office.stage.run_until_idle();

    CHECK(office.counts(0) == "delivered 3");
    CHECK(office.counts(1) == "delivered 3");
    CHECK(office.lines.empty());
}

TEST_CASE("a sink that hangs holds up no other, and what it cannot hold is dropped", "[alerts]")
{
    office office({webhook("hangs", 10), webhook("works")},
                  {{"hangs", {{no_answer}}}, {"works", {{200}}}});

    office.raise(25);
    office.stage.run_until_idle();
    office.stage.advance(1h);

    CHECK(office.counts(0) == "full 15 waiting 10");
    CHECK(office.counts(1) == "delivered 25");
}

TEST_CASE("a receiver that is busy is asked again when it said, as the same alert", "[alerts]")
{
    office office({webhook("busy")}, {{"busy", {{429, {{"Retry-After", "7"}}}, {200}}}});

    office.raise();
    office.stage.run_until_idle();
    office.stage.advance(6999ms);
    CHECK(office.there.requests("busy") == 1);
    CHECK(office.counts() == "failed 1 waiting 1");

    office.stage.advance(1ms);
    CHECK(office.there.requests("busy") == 2);
    CHECK(office.counts() == "delivered 1 failed 1");
    const auto& ids = office.there.all["busy"].ids;
    CHECK(ids[0] == ids[1]);
    CHECK(ids[0].size() == 36);
}

TEST_CASE("a receiver that fails is tried a few times, and then the next alert has its turn",
          "[alerts]")
{
    office office({webhook("down")}, {{"down", {{500}, {502}, {503}, {504}, {200}}}});

    office.raise(2);
    office.stage.run_until_idle();
    CHECK(office.there.requests("down") == 1);
    office.stage.advance(10s);

    CHECK(office.there.requests("down") == 5);
    CHECK(office.counts() == "delivered 1 failed 4 exhausted 1");
}

TEST_CASE("a receiver that says no is not asked again", "[alerts]")
{
    office office({webhook("picky")}, {{"picky", {{404}}}});

    office.raise(2);
    office.stage.advance(1min);

    CHECK(office.there.requests("picky") == 2);
    CHECK(office.counts() == "failed 2 refused 2");
}

TEST_CASE("a sink in trouble says so once a minute, whatever it costs", "[alerts]")
{
    office office({webhook("picky")}, {{"picky", {{404}}}});

    for (int minute = 0; minute < 3; ++minute) {
        office.raise(500);
        office.stage.advance(1min);
    }

    CHECK(office.counts() == "failed 1500 refused 1500");
    CHECK(office.lines == std::vector<std::string>(
                              3, "alerts are not getting through sink=picky why=answered 404"));
}

TEST_CASE("the log is a sink too", "[alerts]")
{
    office office({sink_options{}});

    office.raise();
    office.stage.run_until_idle();

    CHECK(office.counts() == "delivered 1");
    CHECK(office.lines ==
          std::vector<std::string>{
              "alert sink=log trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331 "
              "event_id=019358cc-6d2b-7cc1-9f8e-0123456789ab "
              "row=019358cc-6d2b-7cc1-9f8e-ba9876543210 "
              "event_type=order.placed source=shop target=billing handler_name=billing.invoices "
              "last_error=no_order: 7 is gone context=billing"});
}

TEST_CASE("a stop delivers what waits", "[alerts]")
{
    office office({webhook("a")}, {{"a", {{200}}}});
    office.raise(50);

    office.post->stop();
    office.post->stop();
    office.stage.run_until_idle();

    CHECK(office.post->has_ended());
    CHECK(office.counts() == "delivered 50");
}

TEST_CASE("a stop tries a receiver that is down once for each, without waiting", "[alerts]")
{
    office office({webhook("down")}, {{"down", {{500}}}});
    office.raise(3);
    office.stage.run_until_idle();

    office.post->stop();
    office.stage.run_until_idle();

    CHECK(office.post->has_ended());
    CHECK(office.there.requests("down") == 4); // The first was waiting for its second attempt.
    CHECK(office.counts() == "failed 4 stopped 3");
}

TEST_CASE("a stop with receivers that hang ends at its deadline, and all is counted", "[alerts]")
{
    office office({webhook("hangs", 10), webhook("too")},
                  {{"hangs", {{no_answer}}}, {"too", {{no_answer}}}});
    office.raise(25);
    office.stage.run_until_idle();

    office.post->stop();
    office.stage.advance(4999ms);
    CHECK_FALSE(office.post->has_ended());
    office.stage.advance(1ms);

    CHECK(office.post->has_ended());
    CHECK(office.counts(0) == "full 15 stopped 10");
    CHECK(office.counts(1) == "stopped 25");
}

TEST_CASE("alerts after the end are counted as dropped, also without the dispatcher", "[alerts]")
{
    office office({webhook("a")}, {{"a", {{200}}}});
    const auto sink = office.post->sink();
    office.end();

    sink(some_alert());
    CHECK(office.counts() == "stopped 1");

    office.post.emplace(office.stage.loop(), std::vector<sink_options>{});
    CHECK_NOTHROW(sink(some_alert()));
}

TEST_CASE("a dispatcher without sinks has nothing to do", "[alerts]")
{
    office office({});

    office.raise();
    office.post->stop();

    CHECK(office.post->has_ended());
    CHECK(office.post->counts().empty());
}

TEST_CASE("alerts raised before the start are kept", "[alerts]")
{
    stage stage;
    receivers there;
    there.all["a"].answers = {{200}};
    dispatcher post(stage.loop(), {webhook("a")}, {.send = there.send()});
    post.sink()(some_alert());

    post.start();
    stage.run_until_idle();

    CHECK(post.counts().at(0).delivered == 1);
    post.stop();
    stage.run_until_idle();
}
