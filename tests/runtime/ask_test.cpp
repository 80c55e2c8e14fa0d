#include "actors.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::test;

namespace {

struct question
{
    using reply = int;
};
struct acknowledge
{
    using reply = void;
};
struct answer_all
{};
struct drop_all
{};

// Keeps questions until it is told to answer them or to drop them.
struct keeper
{
    using messages = cuebox::messages<question, acknowledge, answer_all, drop_all, fail, done>;

    std::vector<reply_to<int>> kept{};

    awaitable<void> run(self<messages>& me)
    {
        while (auto message = co_await me.receive()) {
            if (auto* asked = std::get_if<request<question>>(&*message))
                kept.push_back(std::move(asked->reply));
            else if (auto* told = std::get_if<request<acknowledge>>(&*message))
                told->reply();
            else if (std::holds_alternative<answer_all>(*message))
                answer();
            else if (std::holds_alternative<drop_all>(*message))
                kept.clear();
            else if (std::holds_alternative<done>(*message))
                co_return;
            else
                throw std::runtime_error("told to fail");
        }
    }

    void answer()
    {
        for (auto& each : kept)
            each(42);
        kept.clear();
    }
};

struct fixture
{
    explicit fixture(child_options options = {.capacity = 4})
        : app(stage.loop(), "app", patient()),
          whom((app.report_to(nobody_listens()), app.add<keeper>("keeper", options)))
    {
        app.start();
        stage.run_until_idle();
    }
    ~fixture()
    {
        stage.stop(app);
        stage.run(asking.join());
    }

    void ask(outcome& result, duration deadline = 5s)
    {
        asking.spawn(ask_into(stage.loop(), whom, question{}, deadline, result));
        stage.run_until_idle();
    }
    template <class M>
    void tell(M message)
    {
        REQUIRE(whom.try_send(std::move(message)) == sent::accepted);
        stage.run_until_idle();
    }

    cuebox::stage stage;
    tree app;
    address<keeper::messages> whom;
    scope asking{stage.loop().executor()};
};

}

TEST_CASE("an ask is answered, now or later")
{
    fixture it;
    outcome first;

    it.ask(first);
    REQUIRE(first.pending());
    it.stage.advance(4s);
    it.tell(answer_all{});

    REQUIRE(first.answer == 42);
}

TEST_CASE("an ask for nothing but an acknowledgement returns")
{
    fixture it;

    it.stage.ask(it.whom, acknowledge{});

    SUCCEED();
}

TEST_CASE("an ask without an answer by its deadline has timed out, and the late answer is dropped")
{
    fixture it;
    outcome late;
    it.ask(late);

    it.stage.advance(5s);
    REQUIRE(late.failure == ask_failure::timed_out);
    it.tell(answer_all{});

    REQUIRE_FALSE(late.answer);
}

TEST_CASE("an ask whose question is dropped is unanswered")
{
    fixture it;
    outcome dropped;
    it.ask(dropped);

    it.tell(drop_all{});

    REQUIRE(dropped.failure == ask_failure::unanswered);
}

TEST_CASE("asks that are queued when the actor fails fail at once, and so do those during backoff")
{
    fixture it;
    outcome queued, during, after;
    REQUIRE(it.whom.try_send(fail{}) == sent::accepted);

    it.ask(queued);
    it.ask(during);

    REQUIRE(queued.failure == ask_failure::restarting);
    REQUIRE(during.failure == ask_failure::restarting);
    it.stage.advance(1s);
    it.ask(after);
    it.tell(answer_all{});
    REQUIRE(after.answer == 42);
}

TEST_CASE("a question that the actor held when it failed is unanswered")
{
    fixture it;
    outcome held;
    it.ask(held);

    it.tell(fail{});

    REQUIRE(held.failure == ask_failure::unanswered);
}

TEST_CASE("asks of an actor that ends for good fail as stopped")
{
    fixture it({.restart = restart::temporary});
    outcome queued, later;
    REQUIRE(it.whom.try_send(done{}) == sent::accepted);

    it.ask(queued);
    it.ask(later);

    REQUIRE(queued.failure == ask_failure::stopped);
    REQUIRE(later.failure == ask_failure::stopped);
}

TEST_CASE("the error of an ask names whom and why")
{
    fixture it({.restart = restart::temporary});
    it.tell(done{});

    std::string what;
    try {
        it.stage.ask(it.whom, question{});
    }
    catch (const ask_error& error) {
        what = error.what();
    }

    REQUIRE(what == "asking app/keeper: stopped");
}
