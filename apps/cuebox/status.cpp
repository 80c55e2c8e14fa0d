#include "status.hpp"

#include "run.hpp"
#include "status_report.hpp"
#include "status_screen.hpp"
#include "terminal.hpp"

#include <cuebox/cli/database.hpp>
#include <cuebox/event/encode.hpp>
#include <cuebox/operations/status.hpp>
#include <cuebox/pg/connection.hpp>
#include <cuebox/runtime/cancellation.hpp>

#include <CLI/CLI.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <charconv>
#include <cstdio>
#include <iostream>
#include <memory>

namespace cuebox::cli {

namespace {

struct status_command
{
    std::string database;
    std::string seconds;
    bool watch = false;
    bool exact = false;
    bool check = false;
    bool json = false;
};

// Thousands of groups are more than an event may have.
constexpr event::limits json_limits{.bytes = 64 * 1024 * 1024};
constexpr std::chrono::milliseconds interval_default{2'000};
constexpr double interval_seconds_max = 86'400;
// For a count of any size. It has an end by Ctrl-C.
constexpr std::chrono::hours count_deadline{24};

std::chrono::milliseconds parse_interval(const std::string& text)
{
    if (text.empty())
        return interval_default;
    double seconds = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
    if (error != std::errc{} || end != text.data() + text.size() || !(seconds >= 0.1) ||
        seconds > interval_seconds_max)
        throw usage_error{"--watch takes seconds, from 0.1 to 86400: \"" + text + "\" is none"};
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1'000));
}

// Text for people, or a line of JSON.
void print(const operations::status& seen, bool json)
{
    std::string out;
    if (json) {
        event::encode_into(out, seen, json_limits);
        out += '\n';
    }
    else {
        const report_style style{.columns = size_of_terminal().columns, .colours = wants_colours()};
        for (const std::string& each : report_status(seen, style))
            out += each + '\n';
    }
    std::cout << out << std::flush;
}

// Where the statuses of a watch go.
class watcher
{
public:
    virtual ~watcher() = default;
    virtual void see(operations::status seen) = 0;
    virtual void lose(std::string why) = 0;
};

class on_screen final : public watcher
{
public:
    on_screen(const boost::asio::any_io_executor& on, std::chrono::milliseconds interval)
        : screen_(on, interval)
    {}
    void see(operations::status seen) override { screen_.add(std::move(seen)); }
    void lose(std::string why) override { screen_.lose(std::move(why)); }

private:
    status_screen screen_;
};

class in_lines final : public watcher
{
public:
    explicit in_lines(bool json) : json_(json) {}
    void see(operations::status seen) override
    {
        print(seen, json_);
        if (!json_)
            std::cout << std::endl;
    }
    void lose(std::string why) override
    {
        std::fprintf(stderr, "the connection is lost, trying again: %s\n", why.c_str());
    }

private:
    bool json_;
};

boost::asio::awaitable<int> show_once(pg::connect_options where, status_command command)
{
    pg::connection database = co_await pg::connect(where);
    // As fresh as it is cheap.
    const operations::status_options how{.age_max = {}, .exact = command.exact};
    const operations::status seen = co_await operations::read_status(database, how);
    print(seen, command.json);
    if (command.exact && !seen.counting.exact)
        throw failure{"the backlog was not counted: the server broke it off (statement_timeout?), "
                      "or may not write; what is shown is the count of before"};
    co_return command.check && !seen.warnings.empty() ? failed : done;
}

// Until it is interrupted. What fails the first time will fail again; what fails later is a server
// that is away for a while.
boost::asio::awaitable<int> watch(pg::connect_options where, status_command command,
                                  std::chrono::milliseconds interval)
{
    boost::asio::steady_timer timer{co_await boost::asio::this_coro::executor};
    const operations::status_options how{.age_max = interval, .exact = command.exact};
    std::unique_ptr<pg::connection> database;
    std::unique_ptr<watcher> shown;
    for (;;) {
        std::exception_ptr trouble;
        std::string why;
        try {
            if (!database) {
                pg::connection made = co_await pg::connect(where);
                database = std::make_unique<pg::connection>(std::move(made));
            }
            operations::status seen = co_await operations::read_status(*database, how);
            if (!shown && !command.json && draws())
                shown = std::make_unique<on_screen>(timer.get_executor(), interval);
            else if (!shown)
                shown = std::make_unique<in_lines>(command.json);
            shown->see(std::move(seen));
        }
        catch (const std::exception& error) {
            if (cuebox::detail::is_cancellation(std::current_exception()))
                throw;
            trouble = std::current_exception();
            why = error.what();
        }
        if (trouble && !shown)
            std::rethrow_exception(trouble);
        if (trouble) {
            database.reset();
            shown->lose(why);
        }
        if (!output_holds())
            throw failure{output_lost};
        timer.expires_after(interval);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }
}

int run_status(const status_command& command)
{
    const auto interval = parse_interval(command.seconds);
    const database where{command.database};
    auto options = where.options();
    if (command.exact)
        options.statement_deadline = count_deadline;
    if (!command.watch)
        return run(show_once(options, command));
    return run(watch(options, command, interval), when_interrupted::ends);
}

}

void add_status(CLI::App& app, action& chosen)
{
    auto command = std::make_shared<status_command>();
    auto* status = app.add_subcommand(
        "status", "Backlog, throughput, workers, generations, and what wants a hand");
    add_database_option(*status, command->database);
    auto* watching = status->add_option("--watch", command->seconds,
                                        "Stay, and show it every so many seconds; else 2");
    watching->expected(0, 1)->type_name("[SECONDS]");
    status->add_flag("--exact", command->exact,
                     "Count the backlog now, however long it takes; else a count is shared");
    status->add_flag("--check", command->check, "Exit 1 when there are warnings")
        ->excludes(watching);
    status->add_flag("--json", command->json, "Print as JSON; with --watch an object a line");
    status->callback([command, watching, &chosen] {
        command->watch = watching->count() > 0;
        chosen = [command] { return run_status(*command); };
    });
}

}
