#include "generation.hpp"

#include "confirm.hpp"
#include "json.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "run.hpp"
#include "table.hpp"
#include "terminal.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/operations/generations.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace cuebox::cli {

// What is printed with --json.
struct generations_report
{
    std::vector<operations::generation_info> generations;
};

namespace {

struct generation_options
{
    std::string database;
    std::string label;
    std::int64_t generation = 0;
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::string by;
    bool json = false;

    std::string actor() const { return by.empty() ? who_am_i() : by; }
};

std::string number(std::int64_t value)
{
    return with_commas(static_cast<std::size_t>(value));
}

void print(const std::vector<operations::generation_info>& all)
{
    if (all.empty()) {
        std::puts("no generations: allocate one with `cuebox generation allocate`");
        return;
    }
    table shown{{"GENERATION", "STATUS", "SINCE", "PENDING", "IN FLIGHT", "DEAD LETTERS", "WORKERS",
                 "CONTEXTS", "LABEL"}};
    for (const auto& each : all) {
        std::string contexts;
        for (const std::string& context : each.contexts)
            contexts += (contexts.empty() ? "" : ",") + printable(context);
        shown.add({std::to_string(each.generation), each.status, print_time(each.started_at),
                   number(each.pending), number(each.in_flight), number(each.dead_letters),
                   number(each.workers), contexts.empty() ? "-" : contexts,
                   printable(each.label.value_or("-"))});
    }
    shown.print();
}

boost::asio::awaitable<int> list(pg::connect_options where, const generation_options& options)
{
    pg::connection database = co_await pg::connect(where);
    const auto all = co_await operations::list_generations(database);
    if (options.json)
        print_json(generations_report{all});
    else
        print(all);
    co_return done;
}

boost::asio::awaitable<int> allocate(pg::connect_options where, const generation_options& options)
{
    pg::connection database = co_await pg::connect(where);
    const std::string actor = options.actor();
    const auto made = co_await operations::allocate_generation(database, options.label, actor);
    if (options.json)
        print_json(made);
    else
        std::printf("allocated generation %lld\n", static_cast<long long>(made.generation));
    co_return done;
}

boost::asio::awaitable<int> retire(pg::connect_options where, const generation_options& options)
{
    pg::connection database = co_await pg::connect(where);
    const std::string actor = options.actor();
    const auto now = co_await operations::retire_generation(database, options.generation, actor);
    if (options.json)
        print_json(now);
    else if (now.status == "retired")
        std::printf("generation %lld is retired\n", static_cast<long long>(now.generation));
    else
        std::printf("generation %lld is draining: %s pending, %s in flight, %s registered; "
                    "retire it again when they are done\n",
                    static_cast<long long>(now.generation), number(now.pending).c_str(),
                    number(now.in_flight).c_str(),
                    counted(static_cast<std::size_t>(now.workers), "worker").c_str());
    co_return done;
}

boost::asio::awaitable<int> drain(pg::connect_options where, const generation_options& options)
{
    pg::connection database = co_await pg::connect(where);
    progress shown{options.json};
    const auto tell = [&shown](const operations::drain_progress& now) {
        const auto total = static_cast<double>(std::max<std::int64_t>(now.total, 1));
        shown.update(static_cast<std::size_t>(now.moved), static_cast<double>(now.moved) / total);
    };
    const std::function<void(const operations::drain_progress&)> each = tell;
    const std::string actor = options.actor();
    const auto moved = co_await operations::drain(database, options.from, options.to, actor, each);
    shown.clear();
    if (options.json)
        print_json(moved);
    else
        std::printf("moved %s from generation %lld to %lld\n",
                    counted(static_cast<std::size_t>(moved.moved), "event").c_str(),
                    static_cast<long long>(moved.from), static_cast<long long>(moved.to));
    if (!options.json && moved.pending + moved.in_flight > 0)
        std::fprintf(
            stderr, "left there: %s pending, %s in flight; drain again when its workers are done\n",
            number(moved.pending).c_str(), number(moved.in_flight).c_str());
    co_return done;
}

using work = boost::asio::awaitable<int> (*)(pg::connect_options, const generation_options&);

CLI::App* add(CLI::App& to, action& chosen, const char* name, const char* text, work run_it,
              const std::shared_ptr<generation_options>& options)
{
    auto* command = to.add_subcommand(name, text);
    add_database_option(*command, options->database);
    command->add_flag("--json", options->json, "Print as JSON");
    command->callback([options, &chosen, run_it] {
        chosen = [options, run_it] {
            const database where{options->database};
            return run(run_it(where.options(), *options));
        };
    });
    return command;
}

void add_by(CLI::App& command, generation_options& options)
{
    command.add_option("--by", options.by, "Who does it, for the record; else user@host");
}

}

void add_generation(CLI::App& app, action& chosen)
{
    auto* group = app.add_subcommand("generation", "Deployments, each with a number");
    group->require_subcommand(1);
    auto options = std::make_shared<generation_options>();

    auto* made = add(*group, chosen, "allocate", "Take the next number for a deployment", &allocate,
                     options);
    auto* label = made->add_option("label", options->label,
                                   "Which deployment it is, such as v1.4.2: any text, for people "
                                   "to tell generations apart in `generation list` and `status`")
                      ->required();
    // The same by name; the help has it once.
    made->add_option("--label", options->label)
        ->group("")
        ->excludes(label)
        ->each([label](const std::string&) { label->required(false); });
    made->footer("Contexts that listen at the last generation listen at this one, too. Start its "
                 "workers with\nthe number in CUEBOX_GENERATION.");
    add_by(*made, *options);

    add(*group, chosen, "list", "Which there are, and what they still have to do", &list, options);

    auto* retired = add(*group, chosen, "retire",
                        "Out of service: draining while rows or workers are left, then retired",
                        &retire, options);
    retired->add_option("generation", options->generation, "Its number")
        ->required()
        ->check(counts_from_one());
    add_by(*retired, *options);
}

void add_drain(CLI::App& app, action& chosen)
{
    auto options = std::make_shared<generation_options>();
    auto* command =
        add(app, chosen, "drain", "Move what is pending to another generation", &drain, options);
    command->add_option("--from", options->from, "The generation that is left")
        ->required()
        ->check(counts_from_one());
    command->add_option("--to", options->to, "The one whose workers get it")
        ->required()
        ->check(counts_from_one());
    add_by(*command, *options);
    command->footer("Dead letters stay where they are: `cuebox dlq replay --generation G --to H`.");
}

}
