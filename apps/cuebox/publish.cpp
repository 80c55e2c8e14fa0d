#include "publish.hpp"

#include "line_reader.hpp"
#include "numbers.hpp"
#include "progress.hpp"
#include "publish_line.hpp"
#include "run.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/event/encode.hpp>
#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/publisher.hpp>

#include <CLI/CLI.hpp>
#include <boost/asio/this_coro.hpp>

#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <unistd.h>

namespace cuebox::cli {

// What is printed with --json.
struct published_event
{
    event::uuid event_id;
    std::string channel;
};

struct published_count
{
    std::uint64_t published = 0;
};

namespace {

struct publish_options
{
    std::string database;
    publication event;
    std::optional<std::string> delay;
    std::optional<std::int64_t> generation;
    std::string domain;
    bool single = false;   // --type was given, be it empty.
    std::size_t batch = 0; // Lines in a transaction; 0 is all of them.
    bool json = false;
};

boost::asio::awaitable<int> publish_one(pg::connect_options where, publish_options options)
{
    const outbox::publisher publisher{
        {.source = options.event.source, .generation = options.generation}};
    const outbox::outgoing event = publisher.prepare_json(
        options.event.type, options.event.version, options.event.payload, options.event.options);
    pg::connection database = co_await pg::connect(where);
    pg::transaction work{database};
    const event::uuid id = co_await publisher.publish(work, event);
    co_await work.commit();
    if (options.json)
        std::cout << event::encode(published_event{.event_id = id, .channel = event.channel})
                  << '\n';
    else
        std::printf("published %s to %s\n", event::print_uuid(id).c_str(), event.channel.c_str());
    co_return done;
}

// One publisher for each source that the lines name.
class publishers
{
public:
    explicit publishers(std::optional<std::int64_t> generation) : generation_(generation) {}

    const outbox::publisher& of(const std::string& source)
    {
        const auto found = made_.find(source);
        if (found != made_.end())
            return found->second;
        outbox::publisher made{{.source = source, .generation = generation_}};
        return made_.emplace(source, std::move(made)).first->second;
    }

    outbox::outgoing prepare(const publication& event)
    {
        // A line that brings its own generation needs none from elsewhere.
        if (event.options.generation && !generation_)
            generation_ = event.options.generation;
        return of(event.source)
            .prepare_json(event.type, event.version, event.payload, event.options);
    }

private:
    std::optional<std::int64_t> generation_;
    std::map<std::string, outbox::publisher> made_;
};

// What is wrong with a line, and how far the lines before it got.
[[noreturn]] void refuse_line(std::size_t line, std::string_view why, std::size_t committed)
{
    throw failure{"line " + std::to_string(line) + ": " + std::string(why) + ": " +
                  (committed == 0 ? "nothing was published; correct the line and send all again"
                   : committed == 1
                       ? "the first event is published; correct the line and send the rest"
                       : "the first " + with_commas(committed) +
                             " events are published; correct the line and send the rest")};
}

boost::asio::awaitable<int> publish_lines(pg::connect_options where, publish_options options)
{
    line_reader lines{co_await boost::asio::this_coro::executor};
    pg::connection database = co_await pg::connect(where);
    publishers sources{options.generation};
    std::optional<progress> shown{std::in_place, options.json};
    std::size_t taken = 0;
    std::size_t committed = 0;
    std::optional<std::string> text = co_await lines.next();
    while (text) {
        pg::transaction work{database};
        auto bulk = co_await outbox::bulk::start(work);
        for (std::size_t in_batch = 0; text && (options.batch == 0 || in_batch < options.batch);
             ++in_batch)
        {
            outbox::outgoing event;
            try {
                const publication line = parse_publication(*text, options.event.source);
                event = sources.prepare(line);
            }
            catch (const std::exception& error) {
                refuse_line(lines.line(), error.what(), committed);
            }
            co_await bulk.add(event);
            shown->show(++taken, lines.share());
            text = co_await lines.next();
        }
        co_await bulk.finish();
        co_await work.commit();
        committed = taken;
    }
    shown.reset(); // Off the line that is printed next.
    if (options.json)
        std::cout << event::encode(published_count{.published = committed}) << '\n';
    else
        std::printf("published %s\n", counted(committed, "event").c_str());
    co_return done;
}

int run_publish(publish_options options)
{
    if (options.delay)
        options.event.options.delay = parse_delay(*options.delay);
    if (!options.domain.empty()) {
        options.event.options.domain_id = event::parse_uuid(options.domain);
        if (!options.event.options.domain_id)
            throw failure{"--domain-id: \"" + options.domain + "\" is not a uuid"};
    }
    const bool single = options.single;
    if (single && options.event.source.empty())
        throw usage_error{"--source is missing: name the context that publishes"};
    if (!single && isatty(STDIN_FILENO) != 0)
        throw usage_error{"--type is missing: give it for one event, or pipe NDJSON in for many"};

    const database where{options.database};
    return run(single ? publish_one(where.options(), options)
                      : publish_lines(where.options(), options));
}

}

void add_publish(CLI::App& app, action& chosen)
{
    auto options = std::make_shared<publish_options>();
    auto* command = app.add_subcommand("publish", "Publish an event, or many from NDJSON on stdin");
    auto& event = options->event;
    add_database_option(*command, options->database);
    auto* type = command->add_option("--type", event.type, "Event type, such as order.placed");
    command->add_option("--source", event.source, "The producing context; for lines without one");
    command->add_option("--target", event.options.target, "The one context it is for")->needs(type);
    command->add_option("--payload", event.payload, "JSON object")->needs(type);
    command->add_option("--key", event.options.key, "Idempotency key; else the event's id")
        ->needs(type);
    command->add_option("--event-version", event.version, "Version of the payload")->needs(type);
    command->add_option("--delay", options->delay, "Not to be handled before, such as 90s")
        ->needs(type);
    command->add_option("--class", event.options.processing_class, "Processing class")->needs(type);
    command->add_option("--domain-id", options->domain, "Tenant or domain, a uuid")->needs(type);
    command
        ->add_option("--generation", options->generation,
                     "Deployment; else CUEBOX_GENERATION, else SPECTRAL_GENERATION")
        ->check(counts_from_one());
    command
        ->add_option("--batch", options->batch,
                     "Commit after so many lines; else all of them together")
        ->check(counts_from_one());
    command->add_flag("--json", options->json, "Print as JSON");
    command->footer(
        "Without --type, stdin has one JSON object a line: type, source, payload, and\n"
        "optionally target key domain_id version class delay generation trace_context.");
    command->callback([options, type, &chosen] {
        options->single = type->count() > 0;
        chosen = [options] { return run_publish(*options); };
    });
}

}
