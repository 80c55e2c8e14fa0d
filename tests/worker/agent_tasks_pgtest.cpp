#include "worker/workshop.hpp"

#include <catch2/catch_test_macros.hpp>

using namespace cuebox::worker::test;

namespace {

// A shell script as an executor for tasks of kind "sh"; one retry.
std::string sh(const std::string& script, const std::string& more = "")
{
    return R"({"name": "test.tasks", "kind": "agent_tasks", "executors": {"sh": {"command": )"
           R"(["sh", "-c", ")" +
           script + R"("]}}, "retry": {"max_retries": 1, "base": "1ms", "cap": "1ms"})" + more +
           "}";
}

std::string create(const workshop& shop, const std::string& input = "{}",
                   const std::string& kind = "sh")
{
    return shop.database.query("select platform.agent_task_create('" + kind + "', 'api', 7, '" +
                               input + "')");
}

// All tasks, as one line.
std::string tasks(const workshop& shop)
{
    return shop.database.query("select string_agg(concat_ws(' ', status, attempts, result, error), "
                               "', ' order by id) from platform.agent_task_states");
}

bool tasks_are(const workshop& shop, std::string_view which)
{
    const bool so = eventually([&] { return tasks(shop) == which; });
    if (!so)
        UNSCOPED_INFO("tasks are: " + tasks(shop));
    return so;
}

// Says that it began, waits for the file, and answers with its token.
const std::string held =
    R"(echo began $CUEBOX_CLAIM_TOKEN >> $JOURNAL; while [ ! -e $RELEASE ]; do sleep 0.02; done; )"
    R"(echo done $CUEBOX_CLAIM_TOKEN >> $JOURNAL; echo '{\"result\": \"'$CUEBOX_CLAIM_TOKEN'\"}')";

}

TEST_CASE("a program runs a task: JSON in, its result out", "[worker]")
{
    workshop shop;
    const std::string out = (shop.files / "out").string();
    const auto worker = shop.start_stock(
        {.handlers = sh("cat > " + out +
                        R"(; echo '{\"result\": {\"round\": '$CUEBOX_TASK_ROUND', )"
                        R"(\"key\": \"'$CUEBOX_IDEMPOTENCY_KEY'\"}}')")});

    const std::string id = create(shop, R"({"text": "hello"})");

    CHECK(tasks_are(shop, R"(succeeded 1 {"key": ")" + id + R"(:1", "round": 1})"));
    const std::string got = read_file(out);
    CHECK(contains(got, R"("id":")" + id +
                            R"(","kind":"sh","status":"running","input":)"
                            R"({"text": "hello"},)"));
    CHECK(got.ends_with("}\n"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a program asks for approval, and is run again with the decision on its stdin",
          "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock(
        {.handlers = sh(R"(if grep -q '\"decision\":\"approved\"'; then echo '{\"result\": 2}'; )"
                        R"(else echo '{\"needs_approval\": {\"pay\": 100}, \"conversation_id\": )"
                        R"(\"11111111-2222-4333-8444-555555555555\"}'; fi)")});
    const std::string id = create(shop);
    REQUIRE(tasks_are(shop, "waiting_for_approval 1"));
    CHECK(shop.database.query("select approval_request, conversation_id from "
                              "platform.agent_task_states") ==
          "{\"pay\": 100}|11111111-2222-4333-8444-555555555555");
    REQUIRE(shop.reaches("delivered 0: 1"));

    const auto approved = cuebox::test::run(
        CUEBOX, {"task", "approve", id, "--by", "grace", "--database", shop.database.conninfo()},
        "", {{"CUEBOX_GENERATION", "7"}});

    CHECK(approved.exit == 0);
    CHECK(tasks_are(shop, "succeeded 2 2"));
    CHECK(shop.reaches("delivered 0: 2"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("what a program answers, and how it exits, decides what becomes of its task", "[worker]")
{
    struct row
    {
        std::string script;
        std::string task;
        std::string event;
    };
    const row table[] = {
        {R"(echo '{\"error\": \"no such order\"}')", "failed 1 task_failed: no such order",
         "failed 0: 1"},
        {R"(echo '{\"error\": \"busy\", \"retry\": true}')", "failed 2 task_failed: busy",
         "failed 1: 1"},
        {R"(echo '{\"error\": \"of 9\", \"error_class\": \"no order\"}')",
         "failed 1 no order: of 9", "failed 0: 1"},
        {"echo bad input >&2; exit 65", "failed 1 bad input: sh exited with 65", "failed 0: 1"},
        {"echo busy >&2; exit 3", "failed 2 busy: sh exited with 3", "failed 1: 1"},
        {R"(printf 'a\\377b' >&2; exit 65)", "failed 1 a\uFFFDb: sh exited with 65", "failed 0: 1"},
        {"kill -9 $$", "failed 2 ended by signal 9: sh", "failed 1: 1"},
        {R"(echo '{\"result\": null}')", "succeeded 1 null", "delivered 0: 1"},
        {R"(echo '{}')",
         "failed 2 bad answer: sh answered none of result, needs_approval and error: one is an "
         "answer",
         "failed 1: 1"},
        {R"(echo '{\"result\": 1, \"error\": \"x\"}')",
         "failed 2 bad answer: sh answered several of result, needs_approval and error: one is an "
         "answer",
         "failed 1: 1"},
        {"head -c 3000000 /dev/zero", "failed 1 bad answer: sh answered more than 2 MiB",
         "failed 0: 1"},
    };

    for (const row& each : table) {
        INFO(each.script);
        workshop shop;
        const auto worker = shop.start_stock({.handlers = sh(each.script)});
        create(shop);

        CHECK(tasks_are(shop, each.task));
        CHECK(shop.reaches(each.event));
        CHECK(worker->stop() == 0);
    }
}

TEST_CASE("a program may speak before it listens, and on both streams", "[worker]")
{
    workshop shop;
    // More than a pipe holds, each way, before the first byte of the input is read.
    const auto worker = shop.start_stock(
        {.handlers = sh(R"(head -c 200000 /dev/zero >&2; printf '%200000s' ''; cat > /dev/null; )"
                        R"(echo '{\"result\": \"heard\"}')")});

    shop.database.query("select platform.agent_task_create('sh', 'api', 7, "
                        "jsonb_build_object('text', repeat('x', 200000)))");

    CHECK(tasks_are(shop, R"(succeeded 1 "heard")"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a program's task is over when it ends, whatever it has left behind", "[worker]")
{
    workshop shop;
    // In a session of its own, and with the program's stdout and stderr.
    const auto worker = shop.start_stock(
        {.handlers =
             sh("setsid sh -c 'echo began >> $JOURNAL; while [ ! -e $RELEASE ]; do sleep 0.02; "
                "done; echo done >> $JOURNAL' & while ! grep -q began $JOURNAL; do sleep 0.02; "
                R"(done; echo '{\"result\": \"heard\"}')")});

    create(shop);

    CHECK(tasks_are(shop, R"(succeeded 1 "heard")"));
    CHECK(shop.reaches("delivered 0: 1"));
    CHECK(count(shop.journal(), "done") == 0);
    worker->release();
    CHECK(shop.noted("done", 1));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a program that never stops answering is killed for it", "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock({.handlers = sh("yes")});

    create(shop);

    CHECK(tasks_are(shop, "failed 1 bad answer: sh answered more than 2 MiB"));
    CHECK(shop.reaches("failed 0: 1"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a program that takes longer than its executor's timeout is killed, and tried again",
          "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock({.handlers = sh("sleep 600", R"(, "timeout": "100ms")")});

    create(shop);

    CHECK(tasks_are(shop, "failed 2 timeout: took longer than 100ms"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a task of a kind that the worker has no executor for says which it has", "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock({.handlers = sh("exit 0")});

    create(shop, "{}", "other");

    CHECK(tasks_are(shop,
                    "failed 0 no executor: tasks of kind \"other\" have none: this worker has sh"));
    CHECK(worker->stop() == 0);
}

TEST_CASE("a task that is cancelled has its program killed", "[worker]")
{
    workshop shop;
    const auto worker = shop.start_stock(
        {.handlers = sh("echo $$ > $RELEASE.pid; " + held, R"(, "watch": "20ms")")});
    const std::string id = create(shop);
    REQUIRE(shop.noted("began", 1));
    const std::string pid = read_file(shop.files / "worker_1.release.pid");
    const std::filesystem::path process = "/proc/" + pid.substr(0, pid.find('\n'));
    REQUIRE(std::filesystem::exists(process));

    shop.database.query("select platform.agent_task_cancel('" + id + "', 'ada', 'a slip')");

    CHECK(shop.reaches("delivered 0: 1"));
    CHECK(tasks(shop) == "cancelled 1 cancelled by ada: a slip");
    // Who is not there any more does not take the chance.
    CHECK_FALSE(std::filesystem::exists(process));
    worker->release();
    CHECK(worker->stop() == 0);
    CHECK(count(shop.journal(), "done") == 0);
}

TEST_CASE("a task whose worker is killed is run by another, and recorded once", "[worker]")
{
    workshop shop;
    const workshop::plan plan{.handlers = sh(held)};
    const auto first = shop.start_stock(plan);
    create(shop);
    REQUIRE(shop.noted("began", 1));
    REQUIRE(shop.known_to_run(1));
    const auto second = shop.start_stock(plan);
    second->release();
    REQUIRE(second->listens());

    first->signal(SIGKILL);

    REQUIRE(shop.reaches("delivered 1: 1", 20s));
    CHECK(count(shop.journal(), "began") == 2);
    const std::string fence = shop.database.query("select fence from platform.agent_tasks");
    CHECK(tasks(shop) == "succeeded 2 \"" + fence + "\"");
    CHECK(shop.database.query("select count(*) from core.event_handled") == "0");
    // What the killed one had started lives on, and finds nobody who would hear it.
    first->release();
    CHECK(shop.noted("done", 2));
    CHECK(tasks(shop) == "succeeded 2 \"" + fence + "\"");
    CHECK(second->stop() == 0);
}

TEST_CASE("a worker that slept past its lease neither records what it comes back with nor keeps "
          "the task from its next run",
          "[worker]")
{
    workshop shop;
    // Fails once where it is told to; tried again in an hour.
    const std::string script = "if [ -e $RELEASE.busy ]; then rm $RELEASE.busy; echo busy >&2; "
                               "exit 3; fi; " +
                               held;
    const workshop::plan plan{
        .handlers = R"({"name": "test.tasks", "kind": "agent_tasks", "executors": {"sh": )"
                    R"({"command": ["sh", "-c", ")" +
                    script + R"("]}}, "retry": {"max_retries": 5, "base": "1h", "cap": "1h"}})",
        .settings = R"("lease": "3s", "reap": "200ms",)"};
    const auto sleeper = shop.start_stock(plan);
    create(shop);
    REQUIRE(shop.noted("began", 1));
    REQUIRE(shop.known_to_run(1));
    sleeper->signal(SIGSTOP);
    // Its program does not sleep: the answer is there the moment it wakes up.
    sleeper->release();
    REQUIRE(shop.noted("done", 1));
    write_file(shop.files / "worker_2.release.busy");
    const auto other = shop.start_stock(plan);
    other->release();
    REQUIRE(shop.reaches("pending 2: 1"));
    CHECK(tasks(shop) == "pending 2 busy: sh exited with 3");
    const std::string row = shop.database.query("select * from platform.agent_tasks");

    sleeper->signal(SIGCONT);

    // Its handler may come to its end, and does: with what it was answered, or because its lease is
    // gone.
    CHECK(sleeper->stop() == 0);
    CHECK(shop.database.query("select * from platform.agent_tasks") == row);
    CHECK(shop.database.query("select count(*) from core.event_handled") == "0");
    shop.database.query("update core.outbox set available_at = now(); "
                        "select pg_notify(channel, '') from core.outbox");
    REQUIRE(shop.reaches("delivered 2: 1"));
    const std::string fence = shop.database.query("select fence from platform.agent_tasks");
    CHECK(tasks(shop) == "succeeded 3 \"" + fence + "\"");
    CHECK(other->stop() == 0);
}

TEST_CASE("what is wrong with executors in a config is said before anything runs", "[worker]")
{
    workshop shop;
    const auto said = [&](const std::string& handler) {
        const auto ended = shop.run_stock({.handlers = handler}, {"--check"});
        return std::to_string(ended.exit) + " " + ended.err;
    };
    const std::string start = R"({"name": "test.tasks", "kind": "agent_tasks")";

    CHECK(contains(said(start + "}"), "executors"));
    CHECK(contains(said(start + R"(, "executors": {}})"), "is empty: name a kind of task"));
    CHECK(contains(said(start + R"(, "executors": {"a": {"command": []}}})"),
                   "/executors/a/command: is empty"));
    CHECK(contains(said(start + R"(, "events": ["x"], "executors": {"a": {"command": ["true"]}}})"),
                   "agent.task.dispatched alone"));
    const std::string whole = start + R"(, "executors": {"a": {"command": ["true"]}}})";
    CHECK(said(whole) == "0 ");
    CHECK(contains(said(whole + R"(, {"name": "test.more", "kind": "agent_tasks", "executors": )"
                                R"({"b": {"command": ["true"]}}})"),
                   R"(handlers "test.more" and "test.tasks" would each run the same )"
                   R"(agent.task.dispatched: make one of them)"));
}
