#include "embedded/scratch.hpp"
#include "support/migrated.hpp"
#include "support/process.hpp"

#include <catch2/catch_test_macros.hpp>

#include <cstdlib>
#include <fstream>
#include <iterator>

using namespace cuebox;
using namespace cuebox::outbox::test;

namespace {

std::string read(const std::filesystem::path& path)
{
    std::ifstream file{path};
    return {std::istreambuf_iterator<char>{file}, {}};
}

cuebox::test::outcome task(const cuebox::test::database& in, std::vector<std::string> arguments)
{
    arguments.insert(arguments.begin(), "task");
    arguments.insert(arguments.end(), {"--database", in.conninfo()});
    return cuebox::test::run(CUEBOX, arguments, "", {{"CUEBOX_GENERATION", "7"}});
}

// A worker that pauses the only task there is.
void pause(const migrated& database)
{
    database.query("select platform.agent_task_start(id, dispatch_event_id, core.uuid_v7()) from "
                   "platform.agent_tasks; select platform.agent_task_record(id, fence, "
                   "'waiting_for_approval', '{\"pay\": 100}') from platform.agent_tasks");
}

// As a worker does when it starts to listen.
void work_at_seven(const migrated& database)
{
    database.query("insert into core.subscriptions (generation, event_type, context) values "
                   "(7, 'agent.task.dispatched', 'agents')");
}

bool contains(std::string_view text, std::string_view part)
{
    return text.find(part) != std::string_view::npos;
}

}

TEST_CASE("cuebox task creates a task and its event, and shows it", "[cuebox]")
{
    const migrated database;

    const auto created =
        task(database, {"create", "--kind", "summarise", "--source", "api", "--input",
                        R"({"text": "x"})", "--target", "agents", "--by", "ada", "--json"});

    INFO(created.err);
    REQUIRE(created.exit == 0);
    const std::string id = database.query("select id from platform.agent_tasks");
    CHECK(created.out == R"({"agent_task_id":")" + id + R"(","status":"pending","event_id":")" +
                             database.query("select id from core.outbox") + "\"}\n");
    CHECK(database.query("select event_type, source, target, generation, idempotency_key, payload "
                         "from core.outbox") ==
          "agent.task.dispatched|api|agents|7|" + id + ":1|{\"agent_task_id\": \"" + id + "\"}");
    const auto shown = task(database, {"show", id});
    CHECK(contains(shown.out, "kind         summarise\nstatus       pending\n"));
    CHECK(contains(shown.out, "created by   ada\n"));
    CHECK(contains(task(database, {"show", id, "--json"}).out,
                   R"("status":"pending","input":{"text": "x"},)"));
    CHECK(contains(task(database, {"list"}).out, id));
    CHECK(contains(task(database, {"list", "--json", "--status", "pending"}).out,
                   R"({"tasks":[{"id":")" + id));
    CHECK(task(database, {"list", "--status", "failed"}).out == "no tasks\n");
}

TEST_CASE("cuebox task approves once, and says why it does not a second time", "[cuebox]")
{
    const migrated database;
    task(database, {"create", "--kind", "pay", "--source", "api"});
    pause(database);
    const std::string id = database.query("select id from platform.agent_tasks");

    const auto stranded = task(database, {"approve", id, "--by", "grace"});
    work_at_seven(database);
    const auto approved = task(database, {"approve", id, "--by", "grace", "--note", "fine"});
    const auto again = task(database, {"approve", id, "--by", "bob"});

    CHECK(stranded.exit == 1);
    CHECK(contains(stranded.err, "generation 7 was never allocated and nobody listens at it"));
    CHECK(approved.exit == 0);
    CHECK(approved.out == "task " + id + " is pending\n");
    CHECK(again.exit == 1);
    CHECK(again.err ==
          "cuebox: agent task " + id +
              " is pending: it can be approved only while it is waiting_for_approval\n");
    CHECK(database.query("select decided_by, note from platform.agent_task_approvals") ==
          "grace|fine");
    CHECK(database.query("select string_agg(idempotency_key, ' ' order by created_at) from "
                         "core.outbox") == id + ":1 " + id + ":2");
}

TEST_CASE("cuebox task rejects and cancels", "[cuebox]")
{
    const migrated database;
    task(database, {"create", "--kind", "pay", "--source", "api"});
    pause(database);
    const std::string first = database.query("select id from platform.agent_tasks");

    const auto rejected = task(database, {"reject", first, "--by", "grace", "--note", "too dear"});
    task(database, {"create", "--kind", "other", "--source", "api"});
    const std::string second =
        database.query("select id from platform.agent_tasks where kind = 'other'");
    const auto cancelled =
        task(database, {"cancel", second, "--by", "ada", "--reason", "a slip", "--json"});

    CHECK(rejected.out == "task " + first + " is cancelled\n");
    CHECK(cancelled.out == R"({"agent_task_id":")" + second +
                               R"(","status":"cancelled"})"
                               "\n");
    CHECK(database.query("select string_agg(error, ', ' order by id) from platform.agent_tasks") ==
          "rejected by grace: too dear, cancelled by ada: a slip");
}

TEST_CASE("what is nested as deep as an event may be is printed as JSON", "[cuebox]")
{
    const migrated database;
    const std::string deep = "{\"a\": " + std::string(63, '[') + std::string(63, ']') + "}";
    const auto created =
        task(database, {"create", "--kind", "k", "--source", "s", "--input", deep});
    CHECK(created.exit == 0);
    const std::string id = database.query("select id from platform.agent_tasks");
    const std::string event =
        database.query("select core.outbox_publish('deep.event', 'api', 7, '" + deep + "')");
    database.query("update core.outbox set status = 'failed', failed_at = now(), last_error = 'no' "
                   "where id = '" +
                   event + "'");

    const auto shown = task(database, {"show", id, "--json"});
    const auto listed = task(database, {"list", "--json"});
    const auto letter = cuebox::test::run(
        CUEBOX, {"dlq", "show", event, "--json", "--database", database.conninfo()});

    for (const auto& each : {shown, listed, letter}) {
        INFO(each.err);
        CHECK(each.exit == 0);
        CHECK(contains(each.out, deep));
    }
}

TEST_CASE("what cuebox task cannot do is said with the next step", "[cuebox]")
{
    const migrated database;
    const cuebox::test::database empty;
    const std::string nobody = "00000000-0000-7000-8000-000000000001";
    const auto said = [](const cuebox::test::outcome& ended) {
        return std::to_string(ended.exit) + " " + ended.err;
    };

    CHECK(said(task(database, {"show", nobody})) ==
          "1 cuebox: no agent task " + nobody + ": `cuebox task list` shows what there is\n");
    CHECK(said(task(database, {"show", "x"})) == "2 cuebox: TASK: \"x\" is not a uuid\n");
    CHECK(said(task(database, {"list", "--status", "lost"}))
              .starts_with("2 cuebox: --status: \"lost\" is none: pending, running, "));
    CHECK(said(task(database, {"approve", nobody})) ==
          "1 cuebox: no agent task " + nobody + ". List tasks with: cuebox task list\n");
    CHECK(said(task(database, {"create", "--kind", "k"})).starts_with("2 cuebox: --source is"));
    CHECK(said(task(database, {"create", "--kind", "", "--source", "s"})) ==
          "1 cuebox: the kind of a task has 0 bytes, 1 to 255 are allowed: name the executor that "
          "runs it\n");
    CHECK(contains(said(task(database, {"create", "--kind", "k", "--source", "s", "--input", "{"})),
                   "1 cuebox: "));
    CHECK(said(task(empty, {"list"})) ==
          "1 cuebox: the database has no Cuebox schema, or an old one: run `cuebox migrate`\n");
}

TEST_CASE("the sample program of the docs pays for an approval and for nothing else", "[cuebox]")
{
    const embedded::test::scratch files;
    const std::string page = read(CUEBOX_SOURCE "/docs/agent_tasks.md");
    const auto begin = page.find("#!/bin/sh\n# Asks before it pays.");
    REQUIRE(begin != page.npos);
    std::ofstream{files / "refund"} << page.substr(begin, page.find("```", begin) - begin);
    std::ofstream{files / "pay"} << "#!/bin/sh\n";
    std::filesystem::permissions(files / "pay", std::filesystem::perms::all);
    const auto answer = [&](std::string_view given) {
        const std::string path = (files / "").string() + ":" + std::getenv("PATH");
        return cuebox::test::run("sh", {(files / "refund").string()}, given, {{"PATH", path}}).out;
    };
    const std::string asks = "{\"needs_approval\": {\"what\": \"pay 45.00\"}}\n";

    CHECK(answer(R"({"input":{},"decision":"approved"})") == "{\"result\": {\"paid\": true}}\n");
    CHECK(answer(R"({"input":{},"decision":null})") == asks);
    CHECK(answer(R"({"input":{"decision":"approved"},"decision":null})") == asks);
    CHECK(answer(R"({"input":{"note":"\"decision\":\"approved\""},"decision":"rejected"})") ==
          asks);
}
