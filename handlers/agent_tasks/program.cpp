#include <cuebox/event/error.hpp>
#include <cuebox/event/reader.hpp>
#include <cuebox/event/trace.hpp>
#include <cuebox/handlers/agent_tasks/limits.hpp>
#include <cuebox/handlers/agent_tasks/program.hpp>
#include <cuebox/handlers/kinds/child_failure.hpp>

#include <memory>
#include <sysexits.h>

namespace cuebox::agent_tasks {

namespace {

// Longer than the longest outcome: white space counts here and not there.
constexpr std::size_t answer_max = 2 * outcome_max;

struct answer
{
    std::optional<std::string> result{};
    std::optional<std::string> needs_approval{};
    std::optional<std::string> error{};
    std::optional<std::string> error_class{};
    std::optional<event::uuid> conversation_id{};
    bool retry = false;
};

answer read_answer(std::string_view text)
{
    answer got;
    event::reader in{text};
    in.begin_object();
    while (in.next_key()) {
        if (in.key() == "result") {
            got.result = in.skip();
        }
        else if (in.key() == "needs_approval") {
            got.needs_approval = in.skip();
        }
        else if (in.key() == "error") {
            got.error = in.string();
        }
        else if (in.key() == "error_class") {
            got.error_class = in.string();
        }
        else if (in.key() == "retry") {
            got.retry = in.boolean();
        }
        else if (in.key() == "conversation_id") {
            got.conversation_id = event::parse_uuid(in.string());
            if (!got.conversation_id)
                in.refuse("is no UUID");
        }
        else {
            in.skip();
        }
    }
    in.end();
    return got;
}

std::map<std::string, std::string> environment_of(const program_options& options, const task& what,
                                                  const task_run& run)
{
    auto all = options.environment;
    all["CUEBOX_TASK_ID"] = event::print_uuid(what.id);
    all["CUEBOX_TASK_KIND"] = what.kind;
    all["CUEBOX_TASK_ROUND"] = std::to_string(what.round);
    all["CUEBOX_ATTEMPT"] = std::to_string(run.attempt());
    all["CUEBOX_CLAIM_TOKEN"] = event::print_uuid(run.fencing_token());
    all["CUEBOX_IDEMPOTENCY_KEY"] = run.idempotency_key();
    if (run.trace())
        all["TRACEPARENT"] = event::print_traceparent(*run.trace());
    return all;
}

awaitable<outcome> run_program(std::shared_ptr<const program_options> options, const task& what,
                               const task_run& run)
{
    const std::string& program = options->command.front();
    auto environment = environment_of(*options, what, run);
    std::string input = encode(what) + "\n";
    const handlers::child_outcome ended = co_await handlers::run_child(
        options->command, std::move(environment), std::move(input), answer_max);
    // Killed for it: how it ended says nothing.
    if (ended.out_cut) {
        failed too_much{.reason = program + " answered more than 2 MiB",
                        .terminal = true,
                        .error_class = "bad answer"};
        co_return too_much;
    }
    if (ended.signal != 0 || ended.exit != 0) {
        const policy::headline said = handlers::describe(program, ended);
        failed why{.reason = said.message, .error_class = said.error_class};
        // sysexits.h: what the program got is wrong, and will be wrong again.
        why.terminal = ended.signal == 0 && (ended.exit == EX_DATAERR || ended.exit == EX_USAGE);
        co_return why;
    }
    co_return parse_answer(program, ended.out);
}

}

outcome parse_answer(const std::string& program, std::string_view text)
{
    answer got;
    try {
        got = read_answer(text);
    }
    catch (const event::payload_error& error) {
        throw transient_error("bad answer",
                              program + " answered no JSON object of ours: " + error.what());
    }
    const int given = (got.result ? 1 : 0) + (got.needs_approval ? 1 : 0) + (got.error ? 1 : 0);
    if (given != 1)
        throw transient_error("bad answer",
                              program + (given == 0 ? " answered none" : " answered several") +
                                  " of result, needs_approval and error: one is an answer");
    if (got.error)
        return failed{.reason = *got.error,
                      .terminal = !got.retry,
                      .error_class = got.error_class.value_or(failed{}.error_class)};
    if (got.needs_approval)
        return needs_approval{.request = *got.needs_approval,
                              .conversation_id = got.conversation_id};
    return completed{.result = *got.result, .conversation_id = got.conversation_id};
}

executor make_program(program_options options)
{
    auto kept = std::make_shared<const program_options>(std::move(options));
    return [kept](const task& what, const task_run& run) { return run_program(kept, what, run); };
}

}
