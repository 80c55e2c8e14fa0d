#include "dlq_change.hpp"

#include "confirm.hpp"
#include "dlq_arguments.hpp"
#include "event_arguments.hpp"
#include "json.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "run.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/operations/recovery.hpp>

#include <CLI/CLI.hpp>

#include <cstdio>
#include <memory>

namespace cuebox::cli {

// What is printed with --json.
struct moved_to
{
    std::int64_t generation = 0;
    std::int64_t events = 0;
};

struct replay_report
{
    // The one generation they all went to, if it was one.
    std::optional<std::int64_t> generation{};
    std::vector<moved_to> to{};
    std::int64_t replayed = 0;
    std::int64_t refused = 0;
    std::vector<operations::refusal> refusals;
};

struct discard_report
{
    std::int64_t discarded = 0;
    std::int64_t refused = 0;
    std::vector<operations::refusal> refusals;
};

namespace {

struct change_options
{
    bool replay = false;
    std::string database;
    std::vector<std::string> ids;
    dlq_arguments which;
    bool all = false;
    std::optional<std::int64_t> generation;
    std::optional<std::int64_t> limit;
    // So slow that those who handle them keep up, so fast that thousands take seconds.
    std::string rate = "500/s";
    std::string by;
    bool force = false;
    bool yes = false;
    bool json = false;
};

std::vector<event::uuid> parse_ids(const std::vector<std::string>& texts)
{
    std::vector<event::uuid> ids;
    for (const std::string& each : texts)
        ids.push_back(parse_event_id(each));
    return ids;
}

std::string dead_letters(std::int64_t count)
{
    return with_commas(static_cast<std::size_t>(count)) +
           (count == 1 ? " dead letter" : " dead letters");
}

// What is asked about, and then done: the same ones, however long the answer takes.
struct selection
{
    operations::dlq_filter filter{};
    std::int64_t found = 0;
};

boost::asio::awaitable<int> count(pg::connect_options where, const change_options& options,
                                  selection& which)
{
    const auto filter = options.which.read();
    pg::connection database = co_await pg::connect(where);
    which.filter = co_await operations::pin(database, filter);
    which.found = co_await operations::count_dlq_events(database, which.filter);
    co_return done;
}

replay_report report_of(const operations::bulk_result& result)
{
    replay_report report{
        .replayed = result.done, .refused = result.refused, .refusals = result.refusals};
    for (const auto& [generation, events] : result.generations)
        report.to.push_back({generation, events});
    if (report.to.size() == 1)
        report.generation = report.to.front().generation;
    return report;
}

// " to generation 7", or ": 2 to generation 7, 1 to generation 8".
std::string where_to(const operations::bulk_result& result)
{
    if (result.generations.size() == 1)
        return " to generation " + std::to_string(result.generations.begin()->first);
    std::string each;
    for (const auto& [generation, events] : result.generations)
        each += (each.empty() ? ": " : ", ") + std::to_string(events) + " to generation " +
                std::to_string(generation);
    return each;
}

void print(const change_options& options, const operations::bulk_result& result)
{
    if (options.json) {
        if (options.replay)
            print_json(report_of(result));
        else
            print_json(discard_report{result.done, result.refused, result.refusals});
        return;
    }
    if (options.replay)
        std::printf("replayed %s%s\n", dead_letters(result.done).c_str(), where_to(result).c_str());
    else
        std::printf("discarded %s\n", dead_letters(result.done).c_str());
    for (const operations::refusal& each : result.refusals)
        std::fprintf(stderr, "left as it is: %s; %s\n", each.reason.c_str(), each.advice.c_str());
    const auto unnamed = result.refused - static_cast<std::int64_t>(result.refusals.size());
    if (unnamed > 0)
        std::fprintf(stderr, "left as they are: %lld more\n", static_cast<long long>(unnamed));
}

// An event that is named: whatever speaks against it is the command's failure.
boost::asio::awaitable<int> change_one(pg::connect_options where, const change_options& options)
{
    const event::uuid id = parse_event_id(options.ids.front());
    const std::string actor = options.by.empty() ? who_am_i() : options.by;
    operations::bulk_result result{.done = 1};
    pg::connection database = co_await pg::connect(where);
    if (options.replay) {
        const operations::replay_request request{
            .id = id, .generation = options.generation, .actor = actor, .force = options.force};
        const auto replayed = co_await operations::replay_dlq_event(database, request);
        result.generations[replayed.generation] = 1;
    }
    else {
        co_await operations::discard_dlq_event(database, id, actor);
    }
    print(options, result);
    co_return done;
}

boost::asio::awaitable<int> change_many(pg::connect_options where, const change_options& options,
                                        selection which)
{
    const auto ids = parse_ids(options.ids);
    progress shown{options.json};
    operations::replay_options how{.bulk = {.actor = options.by.empty() ? who_am_i() : options.by,
                                            .rate = parse_rate(options.rate),
                                            .limit = options.limit,
                                            .counted = which.found},
                                   .generation = options.generation,
                                   .force = options.force};
    how.bulk.progress = [&shown](const operations::bulk_progress& now) {
        shown.update(static_cast<std::size_t>(now.done),
                     static_cast<double>(now.done) / static_cast<double>(now.total));
    };
    pg::connection database = co_await pg::connect(where);
    operations::bulk_result result;
    if (options.replay && !ids.empty())
        result = co_await operations::replay_dlq_events(database, ids, how);
    else if (options.replay)
        result = co_await operations::replay_dlq_events(database, which.filter, how);
    else if (!ids.empty())
        result = co_await operations::discard_dlq_events(database, ids, how.bulk);
    else
        result = co_await operations::discard_dlq_events(database, which.filter, how.bulk);
    shown.clear();
    print(options, result);
    co_return result.refused == 0 ? done : failed;
}

void refuse_nonsense(const change_options& options)
{
    const bool filtered = !options.which.empty();
    if (!options.ids.empty() && (filtered || options.all))
        throw usage_error{"name events, or filter them, not both"};
    if (options.ids.empty() && !filtered && !options.all)
        throw usage_error{"which dead letters: name their ids, filter them (--type, --error, …), "
                          "or say --all"};
    parse_rate(options.rate);
    (void)options.which.read();
    parse_ids(options.ids);
}

int run_change(const change_options& options)
{
    refuse_nonsense(options);
    const database where{options.database};
    // It is meant: nobody is asked.
    if (options.ids.size() == 1)
        return run(change_one(where.options(), options));
    selection which{.found = static_cast<std::int64_t>(options.ids.size())};
    if (options.ids.empty())
        run(count(where.options(), options, which));
    if (which.found == 0) {
        if (options.json)
            print(options, {});
        else
            std::puts("no dead letters match: nothing to do");
        return done;
    }
    const std::int64_t most = std::min(which.found, options.limit.value_or(which.found));
    std::string what = (options.replay ? "replay " : "discard ") + dead_letters(most);
    if (options.replay)
        what += options.generation ? " to generation " + std::to_string(*options.generation)
                                   : ", each to a generation at which its context listens";
    if (!confirm(what, options.yes))
        throw failure{"nothing was done"};
    return run(change_many(where.options(), options, which));
}

std::shared_ptr<change_options> add_change(CLI::App& dlq, action& chosen, const char* name,
                                           const char* text, CLI::App*& command)
{
    auto options = std::make_shared<change_options>();
    command = dlq.add_subcommand(name, text);
    add_database_option(*command, options->database);
    command->add_option("ids", options->ids, "Ids of events");
    add_dlq_filters(*command, options->which);
    command->add_flag("--all", options->all, "All dead letters");
    command
        ->add_option("--limit", options->limit,
                     "Maximum number of events; the oldest are taken first")
        ->check(counts_from_one());
    command->add_option("--rate", options->rate, "Maximum number a second; 0 is no limit")
        ->capture_default_str();
    command->add_option("--by", options->by,
                        "Who does it, for the audit record; default user@host");
    command->add_flag("--yes,-y", options->yes, "Do not ask");
    command->add_flag("--json", options->json, "Print as JSON");
    command->callback([options, &chosen] { chosen = [options] { return run_change(*options); }; });
    return options;
}

}

void add_dlq_replay(CLI::App& dlq, action& chosen)
{
    CLI::App* command = nullptr;
    auto options = add_change(dlq, chosen, "replay", "Give dead letters another cycle", command);
    options->replay = true;
    command->add_option("--to", options->generation,
                        "Generation whose workers get them; default their own, or the newest at "
                        "which a worker listens for them");
    command->add_flag("--force", options->force,
                      "Also replay events that are older than their dedup records: handlers that "
                      "have succeeded run again");
}

void add_dlq_discard(CLI::App& dlq, action& chosen)
{
    CLI::App* command = nullptr;
    add_change(dlq, chosen, "discard", "Give dead letters up: retention deletes them later",
               command);
}

}
