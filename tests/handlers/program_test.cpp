#include <cuebox/handlers/agent_tasks/program.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::agent_tasks;

namespace {

// An answer as a line, or what is said against it.
std::string read(std::string_view text)
{
    try {
        const outcome got = parse_answer("agent", text);
        if (const auto* done = std::get_if<completed>(&got))
            return "completed " + done->result + (done->conversation_id ? " linked" : "");
        if (const auto* paused = std::get_if<needs_approval>(&got))
            return "needs_approval " + paused->request + (paused->conversation_id ? " linked" : "");
        const auto& lost = std::get<failed>(got);
        return (lost.terminal ? "failed for good: " : "failed: ") + lost.error_class + ": " +
               lost.reason;
    }
    catch (const std::exception& refused) {
        return refused.what();
    }
}

}

TEST_CASE("a program answers with a result, a request or an error")
{
    struct row
    {
        std::string_view text;
        std::string_view meaning;
    };
    const row table[] = {
        {R"({"result": {"a": [1, 2.50]}})", R"(completed {"a": [1, 2.50]})"},
        {R"({"result": null})", "completed null"},
        {R"({"result": 1, "conversation_id": "11111111-2222-4333-8444-555555555555"})",
         "completed 1 linked"},
        {R"({"needs_approval": "may I?"})", R"(needs_approval "may I?")"},
        {R"({"error": "no"})", "failed for good: task_failed: no"},
        {R"({"error": "of 7", "error_class": "no_order"})", "failed for good: no_order: of 7"},
        {R"({"error": "busy", "retry": true})", "failed: task_failed: busy"},
        {"\n {\"result\": 1, \"model\": \"x\"} \n", "completed 1"},
    };

    for (const row& each : table)
        CHECK(read(each.text) == each.meaning);
}

TEST_CASE("what is no answer is named with what is wrong with it")
{
    struct row
    {
        std::string_view text;
        std::string_view why;
    };
    const row table[] = {
        {"", "agent answered no JSON object of ours: "},
        {"thinking…", "agent answered no JSON object of ours: "},
        {"[]", "agent answered no JSON object of ours: "},
        {R"({"result": 1} {"result": 2})", "agent answered no JSON object of ours: "},
        {R"({"error": 7})", "agent answered no JSON object of ours: /error: "},
        {R"({"result": 1, "conversation_id": "x"})",
         "agent answered no JSON object of ours: /conversation_id: is no UUID"},
        {"{}", "agent answered none of result, needs_approval and error"},
        {R"({"result": 1, "needs_approval": 2})",
         "agent answered several of result, needs_approval and error"},
    };

    for (const row& each : table)
        CHECK(read(each.text).starts_with(each.why));
}

TEST_CASE("an executor without a kind, and two for one kind, are refused")
{
    const executor nothing = [](const task&, const task_run&) -> awaitable<outcome> {
        co_return completed{};
    };
    executor_registry executors;
    executors.on("sum", nothing);

    CHECK_THROWS_AS(executors.on("", nothing), std::runtime_error);
    CHECK_THROWS_AS(executors.on("sum", nothing), std::runtime_error);
    CHECK_THROWS_AS(executors.on("other", {}), std::runtime_error);
    CHECK(executors.find("other") == nullptr);
    CHECK(executors.kinds() == std::vector<std::string>{"sum"});
}
