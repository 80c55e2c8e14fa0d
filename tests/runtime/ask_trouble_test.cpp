#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct question
{
    using reply = int;
};
struct handed_over
{
    reply_to<int> reply;
};

// Answers what another actor has been asked.
struct deputy
{
    using messages = cuebox::messages<handed_over>;
    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            const bool elapsed = co_await me.sleep(1s);
            if (elapsed)
                std::get<handed_over>(*message).reply(7);
        }
    }
};

struct delegating
{
    using messages = cuebox::messages<question>;
    address<deputy::messages> to;
    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            auto& asked = std::get<request<question>>(*message);
            (void)to.try_send(handed_over{std::move(asked.reply)});
        }
    }
};

// Looks at its mailbox only once the gate is open.
struct gated
{
    using messages = cuebox::messages<question, add>;
    gate* until;
    awaitable<void> run(self<messages>& me)
    {
        co_await until->wait_whatever_happens();
        while (auto message = co_await me.receive())
            if (auto* asked = std::get_if<request<question>>(&*message))
                asked->reply(1);
    }
};

// Reads nothing and fails once the gate is open.
struct doomed
{
    using messages = cuebox::messages<question, add>;
    gate* until;
    awaitable<void> run(self<messages>&)
    {
        co_await until->wait_whatever_happens();
        throw std::runtime_error("doomed");
    }
};

// Asks the gated one when told to.
struct asker
{
    using messages = cuebox::messages<add>;
    address<gated::messages> whom;
    outcome* result;
    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            question it;
            auto asking = me.ask(whom, it, 1h);
            try {
                result->answer = co_await std::move(asking);
            }
            catch (const ask_error& error) {
                result->failure = error.why();
            }
        }
    }
};

}

TEST_CASE("another actor may answer later")
{
    stage stage;
    tree app{stage.loop(), "app"};
    const auto second = app.add<deputy>("deputy");
    const auto first = app.add<delegating>("delegating", second);
    scope asking{stage.loop().executor()};
    outcome result;
    app.start();

    asking.spawn(ask_into(stage.loop(), first, question{}, 5s, result));
    stage.advance(1s);

    REQUIRE(result.answer == 7);
    stage.stop(app);
}

TEST_CASE("an ask waits for room in a full mailbox and is answered")
{
    stage stage;
    gate opened(stage);
    tree app{stage.loop(), "app"};
    const auto whom = app.add<gated>("gated", child_options{.capacity = 1}, &opened);
    scope asking{stage.loop().executor()};
    outcome result;
    app.start();
    REQUIRE(whom.try_send(add{1}) == sent::accepted);

    asking.spawn(ask_into(stage.loop(), whom, question{}, 5s, result));
    stage.run_until_idle();
    REQUIRE(result.pending());
    opened.open();
    stage.run_until_idle();

    REQUIRE(result.answer == 1);
    stage.advance(10s);
    stage.stop(app);
}

TEST_CASE("an ask waits for room in a full mailbox no longer than its deadline")
{
    stage stage;
    gate opened(stage);
    tree app{stage.loop(), "app"};
    const auto whom = app.add<gated>("gated", child_options{.capacity = 1}, &opened);
    scope asking{stage.loop().executor()};
    outcome result;
    app.start();
    REQUIRE(whom.try_send(add{1}) == sent::accepted);

    asking.spawn(ask_into(stage.loop(), whom, question{}, 5s, result));
    stage.advance(4s);
    REQUIRE(result.pending());
    stage.advance(1s);

    REQUIRE(result.failure == ask_failure::timed_out);
    opened.open();
    stage.stop(app);
}

TEST_CASE("an ask that waits for room learns that the actor has ended")
{
    stage stage;
    gate opened(stage);
    tree app{stage.loop(), "app"};
    const auto whom = app.add<gated>("gated", child_options{.capacity = 1}, &opened);
    scope asking{stage.loop().executor()};
    outcome result;
    app.start();
    stage.run_until_idle();
    REQUIRE(whom.try_send(add{1}) == sent::accepted);
    asking.spawn(ask_into(stage.loop(), whom, question{}, 5s, result));
    stage.run_until_idle();

    app.stop();
    opened.open();
    stage.stop(app);
    stage.run_until_idle();

    REQUIRE(result.failure == ask_failure::stopped);
}

TEST_CASE("an ask can be cancelled while it waits for room and while it waits for the answer")
{
    for (const std::size_t capacity : {1u, 2u}) {
        stage stage;
        gate opened(stage);
        tree app{stage.loop(), "app"};
        const auto whom = app.add<gated>("gated", child_options{.capacity = capacity}, &opened);
        scope asking{stage.loop().executor()};
        outcome result;
        app.start();
        REQUIRE(whom.try_send(add{1}) == sent::accepted);
        asking.spawn(ask_into(stage.loop(), whom, question{}, 5s, result));
        stage.run_until_idle();

        asking.cancel();
        stage.run(asking.join());

        REQUIRE(result.cancelled);
        opened.open();
        stage.advance(10s);
        stage.stop(app);
    }
}

TEST_CASE("an actor that waits for an answer is cancelled when its stop deadline has passed")
{
    stage stage;
    gate opened(stage);
    journal reports;
    tree app{stage.loop(), "app"};
    app.report_to(reports.writer());
    outcome result;
    const auto silent = app.add<gated>("gated", &opened);
    const auto curious = app.add<asker>("asker", silent, &result);
    app.start();
    REQUIRE(curious.try_send(add{1}) == sent::accepted);
    stage.run_until_idle();

    app.stop();
    stage.advance(5s);
    opened.open();
    const exit_reason end = stage.stop(app);

    REQUIRE(end.kind == exit_kind::stopped);
    REQUIRE(reports.has("overdue app/asker"));
    REQUIRE(reports.has("ended app/asker"));
    REQUIRE(result.pending());
}

TEST_CASE("a coroutine that the stage gave up on may still end later")
{
    stage stage;
    gate opened(stage);
    tree app{stage.loop(), "app"};
    const auto whom = app.add<gated>("gated", &opened);
    app.start();

    REQUIRE_THROWS_AS(stage.ask(whom, question{}, 5s), std::logic_error);
    stage.advance(5s);

    opened.open();
    REQUIRE(stage.ask(whom, question{}) == 1);
    stage.stop(app);
}

TEST_CASE("an ask that waits for room fails at once when the actor restarts")
{
    stage stage;
    gate opened(stage);
    tree app{stage.loop(), "app", patient()};
    app.report_to(nobody_listens());
    const auto whom = app.add<doomed>("doomed", child_options{.capacity = 1}, &opened);
    scope asking{stage.loop().executor()};
    outcome result;
    app.start();
    REQUIRE(whom.try_send(add{1}) == sent::accepted);
    asking.spawn(ask_into(stage.loop(), whom, question{}, 1h, result));
    stage.run_until_idle();
    REQUIRE(result.pending());

    opened.open();
    stage.run_until_idle();

    REQUIRE(result.failure == ask_failure::restarting);
    stage.stop(app);
}
