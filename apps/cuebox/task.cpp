#include "task.hpp"

#include "confirm.hpp"
#include "json.hpp"
#include "numbers.hpp"
#include "run.hpp"
#include "table.hpp"
#include "terminal.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/handlers/agent_tasks/tasks.hpp>
#include <cuebox/pg/error.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace cuebox::cli {

// What is printed with --json: by those that change a task, and by list.
struct changed_task
{
    event::uuid agent_task_id;
    std::string status;
    std::optional<event::uuid> event_id;
};
struct listed_tasks
{
    std::vector<agent_tasks::task> tasks;
};

namespace {

using namespace agent_tasks;

// Of all its subcommands; each reads what it has.
struct task_options
{
    std::string database;
    bool json = false;

    std::string id;
    std::string by;
    std::optional<std::string> note;
    std::string approval;
    std::optional<std::int64_t> generation;

    std::string source;
    new_task made;
    std::string conversation;
    std::string domain;

    std::string status;
    std::string before;
    task_filter which;
};

// SQLSTATEs with which a transition is refused.
constexpr std::string_view not_from_here = "55000", not_found = "P0002", not_so = "22023";

event::uuid read_uuid(const char* option, const std::string& text)
{
    const auto id = event::parse_uuid(text);
    if (!id)
        throw usage_error{std::string(option) + ": \"" + text + "\" is not a uuid"};
    return *id;
}

std::optional<event::uuid> read_optional(const char* option, const std::string& text)
{
    return text.empty() ? std::nullopt : std::optional(read_uuid(option, text));
}

void say(const task_options& options, const changed_task& what)
{
    if (options.json)
        print_json(what);
    else
        std::printf("task %s is %s\n", event::print_uuid(what.agent_task_id).c_str(),
                    what.status.c_str());
}

boost::asio::awaitable<int> create(pg::connect_options where, task_options options)
{
    const outbox::publisher publisher{{.source = options.source, .generation = options.generation}};
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    const event::uuid id = co_await create_task(work, publisher, options.made);
    const auto made = co_await get_task(work, id);
    co_await work.commit();
    const changed_task what{
        .agent_task_id = id, .status = "pending", .event_id = made->dispatch_event_id};
    say(options, what);
    co_return done;
}

decision decision_of(const task_options& options)
{
    return {.task = read_uuid("TASK", options.id),
            .by = options.by,
            .note = options.note,
            .approval = read_optional("--approval", options.approval)};
}

boost::asio::awaitable<int> approve(pg::connect_options where, task_options options)
{
    // The source is the task's own: whoever creates it says it once.
    const outbox::publisher publisher{{.source = "cuebox", .generation = options.generation}};
    const decision taken = decision_of(options);
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    const event::uuid event = co_await approve_task(work, publisher, taken);
    co_await work.commit();
    const changed_task what{.agent_task_id = taken.task, .status = "pending", .event_id = event};
    say(options, what);
    co_return done;
}

boost::asio::awaitable<int> reject(pg::connect_options where, task_options options)
{
    const decision taken = decision_of(options);
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    co_await reject_task(work, taken);
    co_await work.commit();
    const changed_task what{.agent_task_id = taken.task, .status = "cancelled", .event_id = {}};
    say(options, what);
    co_return done;
}

boost::asio::awaitable<int> cancel(pg::connect_options where, task_options options)
{
    const event::uuid id = read_uuid("TASK", options.id);
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    co_await cancel_task(work, id, options.by, options.note);
    co_await work.commit();
    const changed_task what{.agent_task_id = id, .status = "cancelled", .event_id = {}};
    say(options, what);
    co_return done;
}

void print_table(const std::vector<task>& tasks)
{
    table lines({"TASK", "STATUS", "KIND", "CREATED", "RUNS", "ERROR"});
    for (const task& each : tasks)
        lines.add({event::print_uuid(each.id), std::string(to_string(each.status)),
                   printable(each.kind), print_time(each.created_at), std::to_string(each.attempts),
                   printable(each.error.value_or(""))});
    lines.print();
}

boost::asio::awaitable<int> list(pg::connect_options where, task_options options)
{
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    auto found = co_await list_tasks(work, options.which);
    co_await work.commit();
    if (options.json) {
        // The list's object, the list, the task.
        print_json(listed_tasks{std::move(found)}, 3);
        co_return done;
    }
    if (found.empty())
        std::puts("no tasks");
    else
        print_table(found);
    co_return done;
}

void print_line(const char* name, const std::optional<std::string>& value)
{
    if (value)
        std::printf("%-12s %s\n", name, printable(*value).c_str());
}

std::optional<std::string> text_of(const std::optional<event::uuid>& id)
{
    return id ? std::optional(event::print_uuid(*id)) : std::nullopt;
}
std::optional<std::string> text_of(const std::optional<event::timestamp>& at)
{
    return at ? std::optional(print_time(at)) : std::nullopt;
}
std::optional<std::string> text_of(const std::optional<event::raw_json>& json)
{
    return json ? std::optional(json->text) : std::nullopt;
}

void print(const task& what)
{
    print_line("task", event::print_uuid(what.id));
    print_line("kind", what.kind);
    print_line("status", std::string(to_string(what.status)));
    print_line("error", what.error);
    print_line("input", what.input.text);
    print_line("result", text_of(what.result));
    print_line("conversation", text_of(what.conversation_id));
    print_line("domain", text_of(what.domain_id));
    print_line("trigger", text_of(what.trigger_event_id));
    print_line("approval", text_of(what.approval_id));
    print_line("asks", text_of(what.approval_request));
    print_line("asked", text_of(what.approval_requested_at));
    print_line("decision", what.decision);
    print_line("decided by", what.decided_by);
    print_line("decided", text_of(what.decided_at));
    print_line("note", what.decision_note);
    print_line("event", event::print_uuid(what.dispatch_event_id));
    print_line("round", std::to_string(what.round));
    print_line("runs", std::to_string(what.attempts));
    print_line("created by", what.created_by);
    print_line("cancelled by", what.cancelled_by);
    print_line("created", print_time(what.created_at));
    print_line("started", text_of(what.started_at));
    print_line("finished", text_of(what.finished_at));
}

boost::asio::awaitable<int> show(pg::connect_options where, task_options options)
{
    const event::uuid id = read_uuid("TASK", options.id);
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    const auto found = co_await get_task(work, id);
    co_await work.commit();
    if (!found)
        throw failure{"no agent task " + options.id + ": `cuebox task list` shows what there is"};
    if (options.json)
        print_json(*found);
    else
        print(*found);
    co_return done;
}

using command_coroutine = boost::asio::awaitable<int> (*)(pg::connect_options, task_options);

int run_task(command_coroutine what, task_options options)
{
    if (options.by.empty())
        options.by = who_am_i();
    options.made.created_by = options.by;
    options.made.conversation_id = read_optional("--conversation", options.conversation);
    options.made.domain_id = read_optional("--domain-id", options.domain);
    options.which.conversation_id = options.made.conversation_id;
    options.which.domain_id = options.made.domain_id;
    options.which.before = read_optional("--before", options.before);
    if (!options.status.empty()) {
        options.which.status = parse_task_status(options.status);
        if (!options.which.status)
            throw usage_error{"--status: \"" + options.status +
                              "\" is none: pending, running, waiting_for_approval, succeeded, "
                              "failed or cancelled"};
    }
    const database where{options.database};
    try {
        return run(what(where.options(), std::move(options)));
    }
    catch (const pg::error& error) {
        // What the schema's functions say is meant for people.
        const std::string& state = error.sqlstate();
        if (state != not_from_here && state != not_found && state != not_so)
            throw;
        throw failure{error.message() + (error.hint().empty() ? "" : ". " + error.hint())};
    }
}

void add_by(CLI::App& command, task_options& options)
{
    command.add_option("--by", options.by, "Who decides, for the record; else user@host");
}

void add_generation_option(CLI::App& command, task_options& options)
{
    command
        .add_option("--generation", options.generation,
                    "Deployment; else CUEBOX_GENERATION, else SPECTRAL_GENERATION")
        ->check(counts_from_one());
}

void describe_create(CLI::App& command, task_options& options)
{
    new_task& made = options.made;
    command.add_option("--kind", made.kind, "Which executor runs it")->required();
    command.add_option("--source", options.source, "The context that wants it")->required();
    command.add_option("--input", made.input, "JSON for the executor");
    command.add_option("--target", made.target, "The one context that runs it");
    command.add_option("--class", made.processing_class, "Processing class");
    command.add_option("--conversation", options.conversation, "A conversation it belongs to");
    command.add_option("--domain-id", options.domain, "Tenant or domain, a uuid");
    command.add_option("--announce-to", made.announce_to, "The context to be told how it ends");
    command.add_option("--by", options.by, "Who wants it, for the record; else user@host");
    add_generation_option(command, options);
}

void describe_list(CLI::App& command, task_options& options)
{
    command.add_option("--status", options.status, "Those that are so");
    command.add_option("--kind", options.which.kind, "Of this kind");
    command.add_option("--conversation", options.conversation, "Of this conversation");
    command.add_option("--domain-id", options.domain, "Of this domain");
    command.add_option("--before", options.before, "Made before this task");
    command.add_option("--limit", options.which.limit, "At most so many; 50 unless given")
        ->check(CLI::Range(1, 10'000));
}

void describe_show(CLI::App& command, task_options& options)
{
    command.add_option("TASK", options.id, "Its id")->required();
}

void describe_cancel(CLI::App& command, task_options& options)
{
    describe_show(command, options);
    add_by(command, options);
    command.add_option("--reason", options.note, "Why; kept with the task");
}

void describe_reject(CLI::App& command, task_options& options)
{
    describe_show(command, options);
    add_by(command, options);
    command.add_option("--note", options.note, "Why; kept with the decision");
    command.add_option("--approval", options.approval, "Only if it still waits for this one");
}

void describe_approve(CLI::App& command, task_options& options)
{
    describe_reject(command, options);
    add_generation_option(command, options);
}

}

void add_task(CLI::App& app, action& chosen)
{
    struct subcommand
    {
        const char* name;
        const char* help;
        void (*describe)(CLI::App&, task_options&);
        command_coroutine run;
    };
    static constexpr subcommand all[] = {
        {"create", "Create a task and call a worker to it", describe_create, create},
        {"list", "List tasks, the newest first", describe_list, list},
        {"show", "Show a task", describe_show, show},
        {"approve", "Approve what a task waits for: it goes on", describe_approve, approve},
        {"reject", "Reject what a task waits for: it is cancelled", describe_reject, reject},
        {"cancel", "Cancel a task that is not over", describe_cancel, cancel}};

    auto* task = app.add_subcommand("task", "Create, list and decide on agent tasks");
    task->require_subcommand(1);
    for (const subcommand& each : all) {
        auto options = std::make_shared<task_options>();
        auto* command = task->add_subcommand(each.name, each.help);
        add_database_option(*command, options->database);
        each.describe(*command, *options);
        command->add_flag("--json", options->json, "Print as JSON");
        command->callback([options, &chosen, run = each.run] {
            chosen = [options, run] { return run_task(run, *options); };
        });
    }
}

}
