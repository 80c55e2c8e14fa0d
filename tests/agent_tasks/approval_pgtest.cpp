#include "agent_tasks/office.hpp"
#include "support/session.hpp"

#include <cuebox/pg/error.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::agent_tasks;
using namespace cuebox::agent_tasks::test;

namespace {

const auto conversation = *event::parse_uuid("11111111-2222-4333-8444-555555555555");

// Asks until it is allowed, and tells what it was allowed.
executor_registry careful()
{
    executor_registry executors;
    executors.on("pay", at_once([](int, const task& what, const task_run&) -> outcome {
                     if (!what.decision)
                         return needs_approval{.request = R"({"pay": 100})",
                                               .conversation_id = conversation};
                     return completed{
                         .result = R"({"request": )" + what.approval_request->text +
                                   R"(, "decision": ")" + *what.decision + R"(", "by": ")" +
                                   *what.decided_by + R"(", "note": ")" + *what.decision_note +
                                   R"(", "round": )" + std::to_string(what.round) + "}"};
                 }));
    return executors;
}

// Without the name of the statement in front.
std::string refusal(std::function<void()> of)
{
    try {
        of();
    }
    catch (const pg::error& error) {
        return error.message();
    }
    return "";
}

}

TEST_CASE("a task that needs approval waits, and approved runs again with the decision",
          "[agent_tasks]")
{
    office desk(careful());
    const auto id = desk.ask_for("pay");
    REQUIRE(desk.handled("delivered"));
    const auto paused = desk.get(id);
    CHECK(paused->status == task_status::waiting_for_approval);
    CHECK(paused->conversation_id == conversation);
    CHECK(paused->approval_request->text == R"({"pay": 100})");
    CHECK_FALSE(paused->decision);
    const std::string task = event::print_uuid(id);
    REQUIRE(desk.rows_are("delivered " + task + ":1"));

    const auto event = desk.approve({.task = id, .by = "grace", .note = "go on"});

    REQUIRE(desk.handled("delivered", 2));
    const auto done = desk.get(id);
    CHECK(done->status == task_status::succeeded);
    CHECK(done->result->text == R"({"by": "grace", "note": "go on", "round": 2, )"
                                R"("request": {"pay": 100}, "decision": "approved"})");
    CHECK(done->conversation_id == conversation);
    CHECK(done->dispatch_event_id == event);
    CHECK(desk.rows_are("delivered " + task + ":1, delivered " + task + ":2"));
    CHECK(desk.database.query("select decision, decided_by, note, decided_at is not null from "
                              "platform.agent_task_approvals") == "approved|grace|go on|t");
    // As docs/agent_tasks.md has it for those that were kept long enough.
    CHECK(desk.database.query("delete from platform.agent_tasks; "
                              "select count(*) from platform.agent_task_approvals") == "0");
}

TEST_CASE("each round asks anew, and every decision stays on record", "[agent_tasks]")
{
    executor_registry executors;
    executors.on("twice", at_once([](int number, const task&, const task_run&) -> outcome {
                     if (number <= 2)
                         return needs_approval{.request = std::to_string(number)};
                     return completed{};
                 }));
    office desk(std::move(executors));
    const auto id = desk.ask_for("twice");
    REQUIRE(desk.handled("delivered", 1));
    const auto first = desk.get(id)->approval_id;
    desk.approve({.task = id, .by = "ada"});
    REQUIRE(desk.handled("delivered", 2));
    const auto second = desk.get(id);
    CHECK(second->approval_id != first);
    CHECK(second->approval_request->text == "2");
    CHECK_FALSE(second->decided_by);

    // Whoever looked at the first request does not approve the second by it.
    CHECK(refusal([&] { desk.approve({.task = id, .by = "bob", .approval = first}); })
              .find("waits for approval " + event::print_uuid(*second->approval_id) + ", not for " +
                    event::print_uuid(*first)) != std::string::npos);
    desk.approve({.task = id, .by = "grace", .approval = second->approval_id});

    REQUIRE(desk.handled("delivered", 3));
    CHECK(desk.get(id)->status == task_status::succeeded);
    CHECK(desk.database.query("select string_agg(round || ' ' || decided_by, ', ' order by round) "
                              "from platform.agent_task_approvals") == "1 ada, 2 grace");
}

TEST_CASE("a task that is rejected is cancelled, and nothing runs", "[agent_tasks]")
{
    office desk(careful());
    const auto id = desk.ask_for("pay");
    REQUIRE(desk.handled("delivered"));

    desk.reject({.task = id, .by = "grace", .note = "too dear"});

    const auto ended = desk.get(id);
    CHECK(ended->status == task_status::cancelled);
    CHECK(ended->error == "rejected by grace: too dear");
    CHECK(ended->decision == "rejected");
    CHECK(ended->decided_by == "grace");
    CHECK(ended->attempts == 1);
    CHECK(desk.database.query("select count(*) from core.outbox") == "1");
}

TEST_CASE("a decision where there is none to take is refused with the state the task is in",
          "[agent_tasks]")
{
    office desk(careful());
    const auto id = desk.ask_for("pay");
    REQUIRE(desk.handled("delivered"));
    desk.approve({.task = id, .by = "grace", .note = ""});
    REQUIRE(desk.handled("delivered", 2));
    const std::string task = event::print_uuid(id);

    CHECK(refusal([&] { desk.approve({.task = id, .by = "bob"}); }) ==
          "agent task " + task +
              " is succeeded: it can be approved only while it is waiting_for_approval");
    CHECK(refusal([&] { desk.reject({.task = id, .by = "bob"}); }) ==
          "agent task " + task +
              " is succeeded: it can be rejected only while it is waiting_for_approval");
    CHECK(refusal([&] { desk.cancel(id, "late"); }) ==
          "agent task " + task +
              " is succeeded: it can be cancelled only while it is pending, "
              "running, waiting_for_approval, failed");
    CHECK(refusal([&] { desk.approve({.task = id, .by = " "}); }) ==
          "agent task " + task + " cannot be approved by nobody: say who decides");
    CHECK(refusal([&] { desk.approve({.task = conversation, .by = "bob"}); }) ==
          "no agent task " + event::print_uuid(conversation));
    CHECK(desk.get(id)->decided_by == "grace");
}

TEST_CASE("of two who approve at the same time one does", "[agent_tasks]")
{
    office desk(careful());
    const auto id = desk.ask_for("pay");
    REQUIRE(desk.handled("delivered"));
    const std::string call =
        "select platform.agent_task_approve('" + event::print_uuid(id) + "', 7, ";
    cuebox::test::session ada{desk.database.conninfo()};
    cuebox::test::session bob{desk.database.conninfo()};

    ada.ask("begin; " + call + "'ada', '')");
    bob.start(call + "'bob', '')");
    REQUIRE(cuebox::test::eventually([&] {
        return desk.database.query("select count(*) from pg_stat_activity where pid = " +
                                   bob.backend() + " and wait_event_type = 'Lock'") == "1";
    }));
    ada.ask("commit");

    CHECK(bob.refused().find("can be approved only while it is waiting_for_approval") !=
          std::string::npos);
    REQUIRE(desk.handled("delivered", 2));
    CHECK(desk.get(id)->decided_by == "ada");
    CHECK(desk.rows_are("delivered " + event::print_uuid(id) + ":1, delivered " +
                        event::print_uuid(id) + ":2"));
}

TEST_CASE("the context that asked for it is told when a task waits and when it ends",
          "[agent_tasks]")
{
    office desk(careful());
    const auto id = desk.create({.kind = "pay", .announce_to = "shop"});
    REQUIRE(desk.handled("delivered"));
    desk.approve({.task = id, .by = "grace", .note = ""});
    REQUIRE(desk.handled("delivered", 2));
    const auto silent = desk.ask_for("pay");
    REQUIRE(desk.handled("delivered", 3));
    desk.cancel(silent, "enough");

    CHECK(desk.database.query(
              "select string_agg(concat_ws(' ', event_type, source, target, generation, "
              "payload->>'agent_task_id' = '" +
              event::print_uuid(id) +
              "', payload->>'status'), ', ' order by created_at) from core.outbox where event_type "
              "<> 'agent.task.dispatched'") ==
          "agent.task.waiting_for_approval platform shop 7 t waiting_for_approval, "
          "agent.task.finished platform shop 7 t succeeded");
}

TEST_CASE("a task that outlives its generation is ended, approved and announced at one that works",
          "[agent_tasks]")
{
    const migrated database;
    cuebox::test::session ask{database.conninfo()};
    ask.ask("insert into core.deployments (generation, label) values (7, 'old')");
    const auto pause = [&] {
        const std::string id =
            ask.ask("select platform.agent_task_create('k', 'api', 7, p_announce_to => 'shop')");
        ask.ask("select platform.agent_task_start(id, dispatch_event_id, core.uuid_v7()) from "
                "platform.agent_tasks where id = '" +
                id + "'");
        ask.ask("select platform.agent_task_record(id, fence, 'waiting_for_approval', '{}') from "
                "platform.agent_tasks where id = '" +
                id + "'");
        return "'" + id + "'";
    };
    const std::string rejected = pause();
    const std::string cancelled = pause();
    const std::string approved = pause();
    CHECK(ask.ask("select string_agg(distinct generation::text, ' ') from core.outbox where "
                  "event_type = 'agent.task.waiting_for_approval'") == "7");
    ask.ask("update core.deployments set status = 'retired', retired_at = now()");
    ask.ask("insert into core.deployments (generation, label) values (8, 'new')");

    ask.ask("select platform.agent_task_reject(" + rejected + ", 'grace')");
    ask.ask("select platform.agent_task_cancel(" + cancelled + ", 'grace')");
    const auto approve = [&](const std::string& generation) {
        return "select platform.agent_task_approve(" + approved + ", " + generation + ", 'grace')";
    };
    const std::string retired = ask.refusal(approve("7"));
    const std::string unknown = ask.refusal(approve("9"));
    const std::string none = ask.refusal(approve("null"));
    ask.ask(approve("8"));

    CHECK(ask.ask("select string_agg(distinct generation::text, ' ') from core.outbox where "
                  "event_type = 'agent.task.finished'") == "8");
    CHECK(retired.find("generation 7 is retired: the task would be stranded there") !=
          std::string::npos);
    CHECK(unknown.find("generation 9 was never allocated and nobody listens at it") !=
          std::string::npos);
    CHECK(none.find("no agent task is dispatched at generation null") != std::string::npos);
    CHECK(ask.ask("select generation from core.outbox where idempotency_key like '%:2'") == "8");
    // Refused with a new task, too.
    CHECK(ask.refusal("select platform.agent_task_create('k', 'api', 7)").find("is retired") !=
          std::string::npos);
    CHECK(ask.refusal("select platform.agent_task_create('k', 'api', 9)").find("never allocated") !=
          std::string::npos);
}

TEST_CASE("what cannot be a task is refused with what to say instead", "[agent_tasks]")
{
    const migrated database;
    cuebox::test::session ask{database.conninfo()};
    const auto refused = [&](const std::string& with) {
        return ask.refusal("select platform.agent_task_create(" + with + ")");
    };
    const auto nested = [](std::size_t deep) {
        return "'k', 'api', 7, '" + std::string(deep, '[') + std::string(deep, ']') + "'";
    };

    CHECK(refused("'', 'api', 7").find("name the executor that runs it") != std::string::npos);
    CHECK(refused("null, 'api', 7").find("name the executor that runs it") != std::string::npos);
    CHECK(refused("'k', 'api', 7, p_announce_to => ''").find("leave p_announce_to out") !=
          std::string::npos);
    CHECK(refused(nested(65)).find("nested more than 64 deep") != std::string::npos);
    CHECK(ask.ask("select count(platform.agent_task_create(" + nested(64) + "))") == "1");
}

TEST_CASE("tasks are listed newest first, by status, kind and conversation", "[agent_tasks]")
{
    office desk(careful());
    std::vector<event::uuid> made;
    for (int i = 0; i < 3; ++i)
        made.push_back(desk.ask_for("pay"));
    REQUIRE(desk.handled("delivered", 3));
    desk.cancel(made[1], "enough");
    const auto ids = [&](task_filter which) {
        std::vector<event::uuid> found;
        for (const task& each : desk.list(std::move(which)))
            found.push_back(each.id);
        return found;
    };

    CHECK(ids({}) == std::vector{made[2], made[1], made[0]});
    CHECK(ids({.status = task_status::cancelled}) == std::vector{made[1]});
    CHECK(ids({.conversation_id = conversation, .limit = 2}) == std::vector{made[2], made[1]});
    CHECK(ids({.before = made[2], .limit = 1}) == std::vector{made[1]});
    CHECK(ids({.kind = "other"}).empty());
}
