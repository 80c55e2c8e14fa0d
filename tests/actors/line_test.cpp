#include "staged_context.hpp"

#include <catch2/catch_test_macros.hpp>

#include <algorithm>

using namespace cuebox;
using namespace cuebox::actors;
using namespace cuebox::actors::test;
using namespace std::chrono_literals;

namespace {

using numbers = std::vector<std::int64_t>;

}

TEST_CASE("a context listens first, and then drains what is pending", "[actors]")
{
    staged_context billing;
    billing.relay->publish(1);
    billing.relay->publish(2);

    billing.start();

    CHECK(billing.mail.done == numbers{1, 2});
    CHECK(billing.relay->count(row_status::delivered) == 2);
    const auto& calls = billing.relay->calls;
    const auto listened = std::ranges::find(calls, statement::open_line, &call::what);
    const auto claimed = std::ranges::find(calls, statement::exchange, &call::what);
    CHECK(listened < claimed);
}

TEST_CASE("nothing is claimed before the line is open", "[actors]")
{
    staged_context billing;
    billing.relay->hold(statement::open_line);
    billing.relay->publish(1);
    billing.start();
    CHECK(billing.relay->claim_limits().empty());

    billing.relay->release(statement::open_line);
    billing.run();

    CHECK(billing.mail.done == numbers{1});
}

TEST_CASE("an event is handled at once when its NOTIFY is heard", "[actors]")
{
    staged_context billing;
    billing.start();

    billing.relay->publish(7);
    billing.run();

    CHECK(billing.mail.done == numbers{7});
    CHECK(billing.relay->channels == std::vector<std::string>{"outbox_gen_7"});
}

TEST_CASE("any number of notifications is one wake", "[actors]")
{
    staged_context billing;
    billing.start();
    const std::size_t before = billing.relay->claim_limits().size();

    for (int i = 0; i < 9; ++i)
        billing.relay->publish(i);
    billing.run();

    CHECK(billing.mail.done.size() == 9);
    CHECK(billing.relay->claim_limits().size() <= before + 2);
}

TEST_CASE("a NOTIFY that was lost costs one safety poll", "[actors]")
{
    staged_context billing;
    billing.start();

    billing.relay->swallow_notifications = true;
    billing.relay->publish(7);
    billing.advance(30s - 1ms);
    CHECK(billing.mail.begun.empty());
    billing.advance(1ms);

    CHECK(billing.mail.done == numbers{7});
}

TEST_CASE("a line that breaks is opened again, and what came meanwhile is handled", "[actors]")
{
    staged_context billing;
    billing.start();

    billing.relay->break_line();
    billing.run();
    CHECK_FALSE(billing.line().listening);
    billing.relay->publish(1);
    billing.advance(1s);

    CHECK(billing.line().listening);
    CHECK(billing.mail.done == numbers{1});
    billing.relay->publish(2);
    billing.run();
    CHECK(billing.mail.done == numbers{1, 2});
    CHECK(billing.count_said("the line is down") == 1);
    CHECK(billing.count_said("polling") == 0);
}

TEST_CASE("a line that is down is tried again after 1 s, then twice as long, up to 30 s",
          "[actors]")
{
    staged_context billing;
    billing.start();
    billing.relay->line_refused = true;
    billing.relay->break_line();
    billing.run();

    billing.advance(200s);

    const auto tried = billing.relay->times(statement::open_line);
    REQUIRE(tried.size() >= 9);
    duration longest = 1s;
    for (std::size_t i = 1; i < tried.size(); ++i) {
        const duration waited = tried[i] - tried[i - 1];
        CHECK(waited <= longest);
        CHECK(waited >= longest * 4 / 5); // Jitter takes up to a fifth off.
        longest = std::min<duration>(longest * 2, 30s);
    }
}

TEST_CASE("a context polls while the line is down for long, and listens again when it is back",
          "[actors]")
{
    staged_context billing;
    billing.start();
    billing.relay->line_refused = true;
    billing.relay->break_line();
    billing.run();

    billing.advance(29s);
    CHECK_FALSE(billing.load().polling);
    // It lives, and says so in another way, or others would take its rows.
    CHECK(billing.relay->times(statement::keep_alive).size() >= 14);
    billing.advance(3s);
    CHECK(billing.load().polling);
    CHECK(billing.line().polling);
    billing.relay->publish(1);
    billing.advance(5s);
    CHECK(billing.mail.done == numbers{1});

    billing.relay->line_refused = false;
    billing.advance(30s);
    CHECK_FALSE(billing.load().polling);
    CHECK(billing.line().listening);
    billing.relay->publish(2);
    billing.run();
    CHECK(billing.mail.done == numbers{1, 2});
    CHECK(billing.count_said("polling") == 1);
    CHECK(billing.count_said("no longer polling") == 1);
}

TEST_CASE("a context whose line cannot be opened at its start polls after a while", "[actors]")
{
    staged_context billing;
    billing.relay->line_refused = true;
    billing.relay->publish(1);
    billing.start();

    billing.advance(29s);
    CHECK(billing.mail.begun.empty());
    billing.advance(3s);

    CHECK(billing.mail.done == numbers{1});
}

TEST_CASE("through a line that is deaf the context says so, and polls every 5 s", "[actors]")
{
    staged_context billing;
    billing.relay->deaf = "LISTEN does not work on this connection";
    billing.start();
    CHECK(billing.count_said("LISTEN does not work on this connection") == 1);
    CHECK(billing.load().polling);

    billing.relay->publish(1);
    billing.advance(5s - 1ms);
    CHECK(billing.mail.begun.empty());
    billing.advance(1ms);
    CHECK(billing.mail.done == numbers{1});
    billing.relay->publish(2);
    billing.advance(5s);

    CHECK(billing.mail.done == numbers{1, 2});
    CHECK(billing.relay->times(statement::open_line).size() == 1);
}

TEST_CASE("a line that is dead and does not say so is found out by the heartbeat", "[actors]")
{
    staged_context billing;
    billing.start();
    billing.advance(1s);

    billing.relay->line_half_open = true;
    billing.relay->publish(7);
    billing.advance(1s - 1ms);
    CHECK(billing.line().listening);
    billing.advance(1ms);
    CHECK_FALSE(billing.line().listening);
    billing.relay->line_half_open = false;
    billing.advance(1s);

    CHECK(billing.line().listening);
    CHECK(billing.line().heartbeat_age < 1s);
    CHECK(billing.mail.done == numbers{7});
}

TEST_CASE("a line that breaks just as it is checked is one loss, not two", "[actors]")
{
    staged_context billing;
    billing.relay->hold(statement::lost_workers);
    billing.start();
    billing.relay->line_refused = true;
    billing.relay->break_line();
    billing.advance(2s); // Both wait now: that it broke, and that it is time for a check.

    billing.relay->release(statement::lost_workers);
    billing.run();
    CHECK(billing.count_said("the line is down") == 1);
    billing.advance(15s);

    // At about 1, 3, 7 and 15 s after it.
    const std::size_t tries = billing.relay->times(statement::open_line).size() - 1;
    CHECK(tries >= 3);
    CHECK(tries <= 4);
}
