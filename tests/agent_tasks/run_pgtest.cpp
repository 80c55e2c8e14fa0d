#include "agent_tasks/held_executor.hpp"
#include "agent_tasks/office.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::agent_tasks;
using namespace cuebox::agent_tasks::test;

namespace {

executor_registry with(std::string kind, executor run)
{
    executor_registry executors;
    executors.on(std::move(kind), std::move(run));
    return executors;
}

awaitable<void> create_and_roll_back(pg::connect_options where)
{
    pg::connection connection = co_await pg::connect(where);
    pg::transaction work{connection};
    const auto publisher = office::publisher();
    new_task what{.kind = "sum"};
    co_await create_task(work, publisher, std::move(what));
    co_await work.rollback();
}

}

TEST_CASE("a task runs, and its result is there", "[agent_tasks]")
{
    office desk(with("sum", at_once([](int, const task& what, const task_run& run) -> outcome {
                         CHECK(what.status == task_status::running);
                         CHECK(run.idempotency_key() == event::print_uuid(what.id) + ":1");
                         return completed{.result = R"({"got": )" + what.input.text + "}"};
                     })));

    const auto id = desk.create({.kind = "sum", .input = R"({"n": 3})", .created_by = "ada"});

    REQUIRE(desk.handled("delivered"));
    const auto done = desk.get(id);
    REQUIRE(done);
    CHECK(done->status == task_status::succeeded);
    CHECK(done->result->text == R"({"got": {"n": 3}})");
    CHECK(done->attempts == 1);
    CHECK(done->created_by == "ada");
    CHECK(done->finished_at.has_value());
    CHECK_FALSE(done->error);
    CHECK(desk.rows_are("delivered " + event::print_uuid(id) + ":1"));
}

TEST_CASE("a task that is rolled back leaves neither row nor event", "[agent_tasks]")
{
    office desk(with(
        "sum", at_once([](int, const task&, const task_run&) -> outcome { return completed{}; })));

    outbox::test::run(create_and_roll_back(desk.database.options()));

    CHECK(desk.database.query("select (select count(*) from platform.agent_tasks) + "
                              "(select count(*) from core.outbox)") == "0");
}

TEST_CASE("a task that fails is tried again, and shows why meanwhile", "[agent_tasks]")
{
    office desk(
        with("flaky", at_once([](int number, const task& what, const task_run& run) -> outcome {
                 if (number == 1)
                     throw std::runtime_error("the model is busy");
                 CHECK(what.error == "runtime_error: the model is busy");
                 CHECK(run.attempt() == 2);
                 return completed{.result = "2"};
             })));

    const auto id = desk.ask_for("flaky");

    REQUIRE(desk.handled("delivered"));
    CHECK(desk.book.count("retry") == 1);
    const auto done = desk.get(id);
    CHECK(done->status == task_status::succeeded);
    CHECK(done->attempts == 2);
    CHECK_FALSE(done->error);
}

TEST_CASE(
    "a task that fails to the last has failed, its event is a dead letter, and a replay runs it",
    "[agent_tasks]")
{
    office desk(with("flaky", at_once([](int number, const task&, const task_run&) -> outcome {
                         if (number <= 3)
                             return failed{.reason = "run " + std::to_string(number)};
                         return completed{.result = R"("at last")"};
                     })));
    const auto id = desk.ask_for("flaky");
    REQUIRE(desk.handled("failed"));
    REQUIRE(desk.rows_are("failed " + event::print_uuid(id) + ":1"));
    const auto dead = desk.get(id);
    CHECK(dead->status == task_status::failed);
    CHECK(dead->error == "task_failed: run 3");
    CHECK(dead->attempts == 3);

    desk.replay(id);

    REQUIRE(desk.handled("delivered"));
    const auto done = desk.get(id);
    CHECK(done->status == task_status::succeeded);
    CHECK(done->result->text == R"("at last")");
    CHECK_FALSE(done->error);
}

TEST_CASE("what is pointless to try again is not", "[agent_tasks]")
{
    executor_registry executors;
    executors.on("says_so", at_once([](int, const task&, const task_run&) -> outcome {
                     return failed{.reason = "no such customer", .terminal = true};
                 }));
    executors.on("throws", at_once([](int, const task&, const task_run&) -> outcome {
                     throw terminal_error("no such customer");
                 }));
    executors.on("no_json", at_once([](int, const task&, const task_run&) -> outcome {
                     return completed{.result = "{oops"};
                 }));
    office desk(std::move(executors));
    const auto error_of = [&](std::string kind) {
        const auto runs = desk.book.count("failed");
        const auto id = desk.ask_for(std::move(kind));
        CHECK(desk.handled("failed", runs + 1));
        const auto ended = desk.get(id);
        CHECK(ended->status == task_status::failed);
        CHECK(ended->attempts == 1);
        return ended->error.value_or("");
    };

    CHECK(error_of("says_so") == "task_failed: no such customer");
    CHECK(error_of("throws") == "terminal_error: no such customer");
    CHECK(error_of("no_json").starts_with(
        "bad outcome: the result of the executor is no JSON for Postgres: "));
    desk.stop();
    CHECK(desk.database.query("select string_agg(distinct status || ' ' || attempts, ',') from "
                              "core.outbox") == "failed 0");
}

TEST_CASE("a kind without an executor: the event is a dead letter, and the task is not touched",
          "[agent_tasks]")
{
    office desk(with("sum", at_once([](int number, const task&, const task_run&) -> outcome {
                         return completed{.result = std::to_string(number)};
                     })));

    const auto id = desk.ask_for("unheard_of");

    REQUIRE(desk.rows_are("failed " + event::print_uuid(id) + ":1"));
    const auto ended = desk.get(id);
    CHECK(ended->status == task_status::failed);
    CHECK(ended->error ==
          "no executor: tasks of kind \"unheard_of\" have none: this worker has sum");
    CHECK(ended->attempts == 0);
    CHECK(desk.database.query("select status, fence is null from platform.agent_tasks") ==
          "pending|t");
    // Given up on, it does not fail again.
    desk.cancel(id, "nobody can");
    desk.replay(id);
    CHECK(desk.rows_are("delivered " + event::print_uuid(id) + ":1"));
}

TEST_CASE("a context without the executor leaves a broadcast task to the one that has it",
          "[agent_tasks]")
{
    ledger told;
    const held_executor held{told};
    office desk(holding(held));
    ledger elsewhere;
    registry handlers;
    handlers.add(make_task_handler(
        "other.agent_tasks", with("sum", at_once([](int, const task&, const task_run&) -> outcome {
                                      return completed{};
                                  })),
        {.retry = quick, .terminal = {}, .watch = 1h}));
    running_context other(desk.database, handlers, elsewhere,
                          running_context::options(desk.database, "other"));
    other.wait_until_listening();

    const auto id = desk.ask_for("hold");
    REQUIRE(noted(told, "began"));
    REQUIRE(elsewhere.wait([](const ledger& all) { return all.count("failed") == 1; }));
    held.gate->set_value();

    REQUIRE(desk.handled("delivered"));
    const auto done = desk.get(id);
    CHECK(done->status == task_status::succeeded);
    CHECK(done->attempts == 1);
    CHECK(desk.book.count("retry") == 0);
}

TEST_CASE("an executor that takes too long is ended, and the task shows it", "[agent_tasks]")
{
    ledger told;
    executor_registry executors;
    executors.on("slow", held_executor{told}, {.timeout = 5ms});
    office desk(std::move(executors));

    const auto id = desk.ask_for("slow");

    REQUIRE(desk.handled("failed"));
    const auto ended = desk.get(id);
    CHECK(ended->status == task_status::failed);
    CHECK(ended->error == "timeout: took longer than 5ms");
    CHECK(ended->attempts == 3);
    CHECK(times(told, "has a deadline") == 3);
    CHECK(times(told, "told to stop") == 3);
}

TEST_CASE("the event of a task that is over runs nothing when it comes again", "[agent_tasks]")
{
    office desk(with("sum", at_once([](int number, const task&, const task_run&) -> outcome {
                         return completed{.result = std::to_string(number)};
                     })));
    const auto id = desk.ask_for("sum");
    REQUIRE(desk.handled("delivered"));
    const std::string task = event::print_uuid(id);
    REQUIRE(desk.rows_are("delivered " + task + ":1"));

    // As after a crash between the recording and the settling.
    desk.database.query(
        "update core.outbox set status = 'pending', "
        "available_at = now() + interval '1 ms'; select pg_notify(channel, '') from "
        "core.outbox");

    REQUIRE(desk.handled("delivered", 2));
    CHECK(desk.get(id)->result->text == "1");
    CHECK(desk.get(id)->attempts == 1);
}

TEST_CASE("an event that nobody dispatched the task with runs nothing", "[agent_tasks]")
{
    office desk(with("no", at_once([](int, const task&, const task_run&) -> outcome {
                         return failed{.reason = "no", .terminal = true};
                     })));
    const auto id = desk.ask_for("no");
    const std::string task = event::print_uuid(id);
    REQUIRE(desk.rows_are("failed " + task + ":1"));

    // The task has failed: its own event, replayed, would run it.
    desk.database.query("select core.outbox_publish('agent.task.dispatched', 'x', 7, "
                        "jsonb_build_object('agent_task_id', '" +
                        task + "'))");

    REQUIRE(desk.handled("delivered"));
    CHECK(desk.get(id)->attempts == 1);
    CHECK(desk.get(id)->status == task_status::failed);
}

TEST_CASE("the event of an earlier round runs nothing", "[agent_tasks]")
{
    office desk(with("no", at_once([](int number, const task&, const task_run&) -> outcome {
                         if (number == 1)
                             return needs_approval{};
                         return failed{.reason = "no", .terminal = true};
                     })));
    const auto id = desk.ask_for("no");
    const std::string task = event::print_uuid(id);
    REQUIRE(desk.rows_are("delivered " + task + ":1"));
    desk.approve({.task = id, .by = "grace"});
    REQUIRE(desk.rows_are("delivered " + task + ":1, failed " + task + ":2"));

    desk.database.query("update core.outbox set status = 'pending', available_at = now() + "
                        "interval '1 ms' where idempotency_key like '%:1'; select "
                        "pg_notify(channel, '') from core.outbox");

    REQUIRE(desk.handled("delivered", 2));
    CHECK(desk.get(id)->attempts == 2);
    CHECK(desk.get(id)->status == task_status::failed);
}

TEST_CASE("an event that somebody made with the key of the next round does not swallow it",
          "[agent_tasks]")
{
    office desk(with("ask", at_once([](int number, const task&, const task_run&) -> outcome {
                         if (number == 1)
                             return needs_approval{};
                         return completed{.result = std::to_string(number)};
                     })));
    const auto id = desk.ask_for("ask");
    REQUIRE(desk.handled("delivered"));
    desk.database.query("select core.outbox_publish('agent.task.dispatched', 'x', 7, "
                        "jsonb_build_object('agent_task_id', '" +
                        event::print_uuid(id) + "'), p_idempotency_key => '" +
                        event::print_uuid(id) + ":2')");
    REQUIRE(desk.handled("delivered", 2));
    CHECK(desk.get(id)->status == task_status::waiting_for_approval);

    desk.approve({.task = id, .by = "grace"});

    REQUIRE(desk.handled("delivered", 3));
    CHECK(desk.get(id)->status == task_status::succeeded);
    CHECK(desk.get(id)->result->text == "2");
    CHECK(desk.database.query("select count(*) from core.event_handled") == "0");
}

TEST_CASE("a task that was deleted is a dead letter that says so", "[agent_tasks]")
{
    office desk(with(
        "sum", at_once([](int, const task&, const task_run&) -> outcome { return completed{}; })));

    desk.database.query("select core.outbox_publish('agent.task.dispatched', 'x', 7, "
                        "'{\"agent_task_id\": \"00000000-0000-7000-8000-000000000001\"}')");

    REQUIRE(desk.handled("failed"));
    desk.stop();
    CHECK(desk.database.query("select last_error from core.outbox") ==
          "no such task: there is no agent task 00000000-0000-7000-8000-000000000001");
}

TEST_CASE("an input that is no JSON, or too much, is refused before the transaction sees it",
          "[agent_tasks]")
{
    office desk(with(
        "sum", at_once([](int, const task&, const task_run&) -> outcome { return completed{}; })));

    CHECK_THROWS_AS(desk.create({.kind = "sum", .input = "{oops"}), event::payload_error);
    CHECK_THROWS_AS(desk.create({.kind = "sum", .input = '"' + std::string(300'000, 'x') + '"'}),
                    event::payload_error);
    CHECK(desk.database.query("select count(*) from platform.agent_tasks") == "0");
}
