#include "demo.hpp"

#include "demo_script.hpp"
#include "run.hpp"

#include <cuebox/embedded/server.hpp>
#include <cuebox/event/encode.hpp>
#include <cuebox/outbox/migrate.hpp>
#include <cuebox/runtime/cancellation.hpp>
#include <cuebox/runtime/scope.hpp>

#include <CLI/CLI.hpp>
#include <boost/asio/this_coro.hpp>

#include <cstdio>
#include <iostream>
#include <memory>

namespace cuebox::cli {

namespace {

namespace asio = boost::asio;
using namespace std::chrono_literals;

struct demo_options
{
    bool json = false;
};

constexpr pg::statement create_ledger{
    .name = "create ledger",
    .sql = "create schema demo; create table demo.ledger (event_id uuid not null, "
           "number bigint not null, cents bigint not null)"};
constexpr pg::statement allocate{.name = "allocate generation",
                                 .sql = "select core.allocate_generation('demo')"};

// What the demo shows and finds out; outlives everything that runs.
struct evening
{
    explicit evening(bool silent) : screen(figures, demo_acts(), demo_events, silent) {}

    demo_figures figures;
    demo_screen screen;
    demo_account account;
    bool interrupted = false;
};

context_options describe_context(std::int64_t generation, demo_figures& figures)
{
    context_options made;
    made.name = "demo";
    made.generation = generation;
    made.log = {}; // The screen tells what matters.
    made.settings.stop_deadline = 2s;
    made.observer = [&figures](const handling::handled_note& told) { figures.note(told); };
    return made;
}

// However the performance ends, the context has ended when this returns.
asio::awaitable<int> raise_the_curtain(pg::connect_options where, evening& tonight)
{
    tonight.screen.say("migrating");
    co_await outbox::migrate(where);
    pg::connection database = co_await pg::connect(where);
    co_await database.run_script(create_ledger);
    const auto generation = co_await database.query_one<std::int64_t>(allocate);

    const auto executor = co_await asio::this_coro::executor;
    loop home{executor};
    pg::pool pool{{.connect = where}};
    demo_shop shop{generation};
    context context{home, pool, shop.handlers().take(),
                    describe_context(generation, tonight.figures)};
    demo_cast cast{.database = database,
                   .context = context,
                   .shop = shop,
                   .figures = tonight.figures,
                   .screen = tonight.screen,
                   .account = tonight.account,
                   .generation = generation};
    scope drawing{executor};
    context.start();
    drawing.spawn(keep_drawing(cast));
    std::exception_ptr thrown;
    try {
        co_await perform(cast);
    }
    catch (...) {
        thrown = std::current_exception();
    }

    // Told to stop, it still ends in order.
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    drawing.cancel();
    co_await drawing.join();
    context.stop();
    co_await context.ended();
    pool.close();
    if (thrown)
        std::rethrow_exception(thrown);
    co_return tonight.account.adds_up ? done : failed;
}

asio::awaitable<int> play(pg::connect_options where, evening& tonight)
{
    int code = failed;
    std::exception_ptr thrown;
    try {
        code = co_await raise_the_curtain(std::move(where), tonight);
    }
    catch (...) {
        thrown = std::current_exception();
    }
    tonight.interrupted = thrown && detail::is_cancellation(thrown);
    if (thrown)
        std::rethrow_exception(thrown);
    co_return code;
}

int run_demo(const demo_options& options)
{
    const auto began = std::chrono::steady_clock::now();
    evening tonight{options.json};
    tonight.screen.begin();
    tonight.screen.say("Postgres starts");
    int code = failed;
    try {
        const embedded::server server;
        code = run(play({.conninfo = server.conninfo()}, tonight));
    }
    catch (const failure&) {
        if (!tonight.interrupted)
            throw;
        throw failure{"stopped; nothing of it is left running"};
    }
    tonight.account.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    tonight.screen.close();
    if (options.json)
        std::cout << event::encode(tonight.account) << '\n';
    else
        print_account(tonight.account, tonight.screen);
    return code;
}

}

void add_demo(CLI::App& app, action& chosen)
{
    auto options = std::make_shared<demo_options>();
    auto* command = app.add_subcommand(
        "demo", "Show it all on a private Postgres: publish, handle, fail, retry, replay");
    command->add_flag("--json", options->json, "Print nothing but the account, as JSON");
    command->callback([options, &chosen] { chosen = [options] { return run_demo(*options); }; });
}

}
