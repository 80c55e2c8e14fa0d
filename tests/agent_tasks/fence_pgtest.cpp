#include "agent_tasks/office.hpp"
#include "support/cluster.hpp"
#include "support/session.hpp"

#include <catch2/catch_test_macros.hpp>

#include <future>

using namespace cuebox;
using namespace cuebox::agent_tasks;
using namespace cuebox::agent_tasks::test;

namespace {

// Waits until the test lets it go on; tells the test that it began, and that it was ended.
struct held_executor
{
    ledger& book;
    std::shared_ptr<std::promise<void>> gate = std::make_shared<std::promise<void>>();
    std::shared_ptr<std::shared_future<void>> opened =
        std::make_shared<std::shared_future<void>>(gate->get_future());

    static awaitable<outcome> hold(held_executor self, std::string token)
    {
        self.note("began");
        asio::steady_timer timer(co_await asio::this_coro::executor);
        try {
            while (self.opened->wait_for(0s) != std::future_status::ready) {
                timer.expires_after(1ms);
                co_await timer.async_wait(asio::use_awaitable);
            }
        }
        catch (...) {
            self.note("ended");
            throw;
        }
        self.note("done");
        co_return completed{.result = '"' + token + '"'};
    }
    awaitable<outcome> operator()(const task&, const task_run& run) const
    {
        return hold(*this, event::print_uuid(run.fencing_token()));
    }
    void note(std::string what) const
    {
        book.change([&](ledger& all) { all.lines.push_back(std::move(what)); });
    }
};

std::size_t times(const ledger& book, std::string_view what)
{
    return static_cast<std::size_t>(std::ranges::count(book.lines, what));
}

bool noted(ledger& book, std::string_view what, std::size_t often = 1)
{
    return book.wait([&](const ledger& all) { return times(all, what) >= often; });
}

executor_registry holding(const held_executor& held)
{
    executor_registry executors;
    executors.on("hold", held);
    return executors;
}

}

TEST_CASE("the result of a run that another has taken over is refused", "[agent_tasks]")
{
    ledger told;
    const held_executor held{told};
    office desk(holding(held));
    const auto id = desk.ask_for("hold");
    REQUIRE(noted(told, "began"));
    const std::string task = event::print_uuid(id);
    const std::string first = desk.database.query("select fence from platform.agent_tasks");

    // Somebody with a later claim of the same event.
    CHECK(desk.database.query("select platform.agent_task_start(id, dispatch_event_id, "
                              "core.uuid_v7()) from platform.agent_tasks") == "run");
    held.gate->set_value();

    // The first run's row is still its own here, so it is tried again, behind a later fence.
    REQUIRE(desk.handled("delivered"));
    CHECK(times(told, "done") == 2);
    CHECK(desk.book.count("retry") == 1);
    const auto done = desk.get(id);
    CHECK(done->status == task_status::succeeded);
    CHECK(done->result->text != '"' + first + '"');
    CHECK(done->attempts == 3);
}

TEST_CASE("a result waits for a database that is away, and its executor does not run again",
          "[agent_tasks]")
{
    ledger told;
    const held_executor held{told};
    office desk(holding(held));
    const auto id = desk.ask_for("hold");
    REQUIRE(noted(told, "began"));
    cuebox::test::session administrator{cuebox::test::the_cluster().conninfo()};
    const std::string name = desk.database.name();
    administrator.ask("alter database " + name +
                      " allow_connections false; "
                      "select count(pg_terminate_backend(pid)) from pg_stat_activity where "
                      "datname = '" +
                      name + "'");

    held.gate->set_value();
    REQUIRE(noted(desk.book, "could not record a run, and will try again"));
    administrator.ask("alter database " + name + " allow_connections true");

    REQUIRE(desk.handled("delivered"));
    CHECK(times(told, "done") == 1);
    CHECK(desk.get(id)->status == task_status::succeeded);
    CHECK(desk.get(id)->attempts == 1);
}

TEST_CASE("a fence lets a later claim start, and neither an earlier one start nor end it",
          "[agent_tasks]")
{
    const migrated database;
    cuebox::test::session ask{database.conninfo()};
    const std::string id = ask.ask("select platform.agent_task_create('k', 'api', 7)");
    const std::string event = ask.ask("select dispatch_event_id from platform.agent_tasks");
    const auto token = [](int n) {
        return "'00000000-0000-7000-8000-00000000000" + std::to_string(n) + "'";
    };
    const auto start = [&](int n) {
        return ask.ask("select platform.agent_task_start('" + id + "', '" + event + "', " +
                       token(n) + ")");
    };
    const auto record = [&](int n, std::string_view status, std::string_view body) {
        return ask.ask("select coalesce(platform.agent_task_record('" + id + "', " + token(n) +
                       ", '" + std::string(status) + "', " + std::string(body) + "), 'recorded')");
    };

    CHECK(start(2) == "run");
    CHECK(start(1) == "stale");
    CHECK(record(1, "succeeded", "'1'") == "stale");
    CHECK(start(3) == "run");
    CHECK(record(2, "succeeded", "'2'") == "stale");
    CHECK(record(3, "succeeded", "'3'") == "recorded");
    CHECK(record(3, "succeeded", "'4'") == "succeeded");
    CHECK(start(4) == "succeeded");
    CHECK(ask.ask("select status || ' ' || result from platform.agent_tasks") == "succeeded 3");
    CHECK(ask.refusal("select platform.agent_task_record('" + id + "', " + token(3) +
                      ", 'cancelled')")
              .find("no run of an agent task ends as \"cancelled\"") != std::string::npos);
}

TEST_CASE("a task shows what its event knows and it does not", "[agent_tasks]")
{
    const migrated database;
    cuebox::test::session ask{database.conninfo()};
    ask.ask("select platform.agent_task_create('k', 'api', 7)");
    ask.ask("select platform.agent_task_start(id, dispatch_event_id, core.uuid_v7()) from "
            "platform.agent_tasks");
    const auto state = [&](const std::string& event) {
        ask.ask(event);
        return ask.ask("select concat_ws(' ', status, error) from platform.agent_task_states");
    };

    CHECK(state("update core.outbox set status = 'in_flight'") == "running");
    CHECK(state("update core.outbox set status = 'pending', last_error = 'took too long'") ==
          "pending took too long");
    CHECK(state("update core.outbox set status = 'failed', last_error = 'worker died: w'") ==
          "failed worker died: w");
    CHECK(state("delete from core.outbox") == "failed its event is gone");
    CHECK(ask.ask("select recorded_status from platform.agent_task_states") == "running");
}

TEST_CASE("where clocks disagree the outbox knows whose the event is", "[agent_tasks]")
{
    const migrated database;
    cuebox::test::session ask{database.conninfo()};
    ask.ask("select platform.agent_task_create('k', 'api', 7)");
    ask.ask("update platform.agent_tasks set status = 'running', fence = "
            "'ffffffff-0000-7000-8000-000000000000'");
    const std::string start = "select platform.agent_task_start(id, dispatch_event_id, "
                              "'00000000-0000-7000-8000-000000000001') from platform.agent_tasks";
    CHECK(ask.ask(start) == "stale");

    ask.ask("update core.outbox set status = 'in_flight', claim_token = "
            "'00000000-0000-7000-8000-000000000001'");

    CHECK(ask.ask(start) == "run");
}

TEST_CASE("a task that is cancelled while it runs: its executor is ended, its event delivered",
          "[agent_tasks]")
{
    ledger told;
    const held_executor held{told};
    office desk(holding(held), 1ms);
    const auto id = desk.ask_for("hold");
    REQUIRE(noted(told, "began"));

    desk.cancel(id, "nobody needs it");

    CHECK(noted(told, "ended"));
    REQUIRE(desk.handled("delivered"));
    const auto ended = desk.get(id);
    CHECK(ended->status == task_status::cancelled);
    CHECK(ended->error == "cancelled by ada: nobody needs it");
    CHECK(ended->cancelled_by == "ada");
    CHECK_FALSE(ended->result);
    CHECK(desk.rows_are("delivered " + event::print_uuid(id) + ":1"));
}

TEST_CASE("an executor that does not hear that its task was cancelled has its result refused",
          "[agent_tasks]")
{
    ledger told;
    const held_executor held{told};
    office desk(holding(held), 0s);
    const auto id = desk.ask_for("hold");
    REQUIRE(noted(told, "began"));

    desk.cancel(id, "nobody needs it");
    held.gate->set_value();

    REQUIRE(desk.handled("delivered"));
    CHECK(times(told, "done") == 1);
    CHECK(desk.get(id)->status == task_status::cancelled);
    CHECK_FALSE(desk.get(id)->result);
}

TEST_CASE("a task that was cancelled before a worker came is not run, nor when it is replayed",
          "[agent_tasks]")
{
    executor_registry executors;
    executors.on("fails", at_once([](int, const task&, const task_run&) -> outcome {
                     return failed{.reason = "no", .terminal = true};
                 }));
    office desk(std::move(executors));
    const auto id = desk.ask_for("fails");
    REQUIRE(desk.rows_are("failed " + event::print_uuid(id) + ":1"));

    desk.cancel(id, "gave up");
    desk.replay(id);

    REQUIRE(desk.handled("delivered"));
    CHECK(desk.get(id)->status == task_status::cancelled);
    CHECK(desk.get(id)->attempts == 1);
}

TEST_CASE("a task whose worker stops goes back untouched, and the next one runs it",
          "[agent_tasks]")
{
    ledger told;
    const held_executor held{told};
    registry handlers;
    handlers.add(make_task_handler("platform.agent_tasks", holding(held),
                                   {.retry = quick, .terminal = {}, .watch = 1h}));
    office desk(holding(held));
    desk.stop();
    auto options = running_context::options(desk.database);
    options.settings.stop_deadline = 1ms;
    {
        running_context first(desk.database, handlers, desk.book, options);
        desk.ask_for("hold");
        REQUIRE(noted(told, "began"));
    }
    CHECK(noted(told, "ended"));
    CHECK(desk.rows_are("pending " + desk.database.query("select id from platform.agent_tasks") +
                        ":1"));
    CHECK(desk.database.query("select status from platform.agent_task_states") == "pending");

    held.gate->set_value();
    running_context second(desk.database, handlers, desk.book, options);

    REQUIRE(desk.handled("delivered"));
    CHECK(desk.database.query("select status || ' ' || attempts from platform.agent_tasks") ==
          "succeeded 2");
    CHECK(desk.database.query("select attempts from core.outbox") == "0");
}
