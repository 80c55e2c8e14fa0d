#include "agent_tasks/held_executor.hpp"
#include "agent_tasks/office.hpp"
#include "support/cluster.hpp"
#include "support/session.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::agent_tasks;
using namespace cuebox::agent_tasks::test;

TEST_CASE("a run that another has taken over ends as a failure, and its event brings the next run",
          "[agent_tasks]")
{
    struct row
    {
        // What became of the other's run: it goes on, is to be tried again, or failed for good.
        std::string_view other;
        // Whether the first is told, or finds out when it has its result.
        duration watch;
    };
    const row table[] = {{"running", 1h},  {"pending", 1h},  {"failed", 1h},
                         {"running", 1ms}, {"pending", 1ms}, {"failed", 1ms}};

    for (const row& each : table) {
        INFO(each.other << (each.watch == 1h ? ", not told" : ", told"));
        ledger told;
        const held_executor held{told};
        office desk(holding(held), each.watch);
        const auto id = desk.ask_for("hold");
        REQUIRE(noted(told, "began"));
        const std::string first = desk.database.query("select fence from platform.agent_tasks");

        // Somebody with a later claim of the same event, in one go: the first may look any time.
        desk.database.query(
            "do $$ declare v_token uuid := core.uuid_v7(); begin perform "
            "platform.agent_task_start(id, dispatch_event_id, v_token) from platform.agent_tasks; "
            "if '" +
            std::string(each.other) +
            "' <> 'running' then perform platform.agent_task_record(id, v_token, '" +
            std::string(each.other) +
            "', p_error => 'busy') from platform.agent_tasks; end if; end $$");
        if (each.watch == 1ms)
            REQUIRE(noted(told, "ended"));
        held.gate->set_value();

        // The first run's row is still its own here, so it is tried again, behind a later fence.
        REQUIRE(desk.handled("delivered"));
        CHECK(desk.book.count("retry") == 1);
        CHECK(times(told, "began") == 2);
        const auto done = desk.get(id);
        CHECK(done->status == task_status::succeeded);
        CHECK(done->result->text != '"' + first + '"');
        CHECK(done->attempts == 3);
        CHECK(desk.database.query("select count(*) from core.event_handled") == "0");
    }
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

TEST_CASE("a database that does not answer keeps no run beyond its timeout", "[agent_tasks]")
{
    ledger told;
    const held_executor held{told};
    executor_registry executors;
    executors.on("hold", held, {.timeout = 3s});
    office desk(std::move(executors), 1ms);
    const auto id = desk.ask_for("hold");
    REQUIRE(noted(told, "began"));
    cuebox::test::session administrator{desk.database.conninfo()};
    administrator.ask("begin; lock table platform.agent_tasks in access exclusive mode");
    REQUIRE(cuebox::test::eventually([&] {
        return desk.database.query("select count(*) from pg_stat_activity where query like "
                                   "'%agent_task_unwanted%' and wait_event_type = 'Lock'") == "1";
    }));

    REQUIRE(noted(told, "ended"));
    held.gate->set_value();
    administrator.ask("rollback");

    REQUIRE(desk.handled("delivered"));
    CHECK(desk.book.count("retry") == 1);
    CHECK(desk.get(id)->attempts == 2);
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
    const std::string then = " and nothing will run it. Cancel it and create another: cuebox task "
                             "cancel " +
                             ask.ask("select id from platform.agent_tasks");
    CHECK(
        state("update core.outbox set status = 'delivered', last_error = null, claimed_by = 'w'") ==
        "failed its event was delivered" + then);
    // Expanded: its copies say more, and are not asked.
    CHECK(state("update core.outbox set claimed_by = null") == "running");
    CHECK(state("update core.outbox set target = 'agents'") ==
          "failed its event was delivered" + then);
    CHECK(state("delete from core.outbox") == "failed its event is gone" + then);
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
    CHECK(times(told, "told to stop") == 1);
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

TEST_CASE("a task that was cancelled before a worker came is not run", "[agent_tasks]")
{
    ledger told;
    const held_executor held{told};
    office desk(holding(held));
    desk.stop();
    const auto id = desk.ask_for("hold");

    desk.cancel(id, "too late");
    registry handlers;
    handlers.add(make_task_handler("platform.agent_tasks", holding(held)));
    running_context next(desk.database, handlers, desk.book);

    REQUIRE(desk.handled("delivered"));
    CHECK(times(told, "began") == 0);
    CHECK(desk.get(id)->status == task_status::cancelled);
    CHECK(desk.get(id)->attempts == 0);
}

TEST_CASE("a task that failed and was cancelled is not run when its event is replayed",
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
