// An agent task from end to end: it is created with its event in one transaction, asks for
// approval, waits, is approved, runs again with the decision, and leaves its result.
// docs/agent_tasks.md explains it.
//
//     agent_tasks                       on a private Postgres, gone when it ends
#include <cuebox/actors/context.hpp>
#include <cuebox/embedded/server.hpp>
#include <cuebox/handlers/agent_tasks/task_handler.hpp>
#include <cuebox/handlers/agent_tasks/tasks.hpp>
#include <cuebox/handlers/registry.hpp>
#include <cuebox/outbox/migrate.hpp>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include <cstdio>

namespace asio = boost::asio;
namespace pg = cuebox::pg;
namespace tasks = cuebox::agent_tasks;

// What a task of kind "refund" is given: JSON, decoded like a payload.
struct refund
{
    std::int64_t order{};
    std::int64_t cents{};
};

// The executor. It is run from the start in every round; `what` tells it how far things are.
cuebox::awaitable<tasks::outcome> run_refund(const tasks::task& what, const tasks::task_run& run)
{
    const auto asked = cuebox::event::decode<refund>(what.input.text);
    if (asked.cents > 1000 && !what.decision) {
        tasks::needs_approval pause{.request = what.input.text};
        co_return pause;
    }
    // Whoever pays is given run.idempotency_key(), and pays once.
    std::printf("refunded %ld cents, approved by %s, run %d of round %d\n",
                static_cast<long>(asked.cents), what.decided_by.value_or("nobody").c_str(),
                run.attempt(), what.round);
    tasks::completed done{.result = R"({"refunded": true})"};
    co_return done;
}

// Waits until the context's observer has seen so many runs.
class finish_line
{
public:
    explicit finish_line(asio::any_io_executor on) : bell_(std::move(on)) {}

    void pass()
    {
        ++runs_;
        bell_.cancel();
    }
    cuebox::awaitable<void> reach(int runs)
    {
        bell_.expires_after(std::chrono::seconds(30));
        while (runs_ < runs && bell_.expiry() > std::chrono::steady_clock::now())
            co_await bell_.async_wait(asio::as_tuple(asio::use_awaitable));
    }

private:
    asio::steady_timer bell_;
    int runs_ = 0;
};

cuebox::awaitable<void> print(pg::pool& pool, cuebox::event::uuid id)
{
    auto connection = co_await pool.borrow();
    pg::transaction work{*connection};
    const auto found = co_await tasks::get_task(work, id);
    co_await work.commit();
    const std::string status(tasks::to_string(found->status));
    std::printf("task is %s %s\n", status.c_str(),
                found->result ? found->result->text.c_str() : "");
}

cuebox::awaitable<void> run(pg::connect_options database)
{
    co_await cuebox::outbox::migrate(database);
    pg::pool pool{{.connect = database}};
    const auto executor = co_await asio::this_coro::executor;
    finish_line runs{executor};

    tasks::executor_registry executors;
    executors.on("refund", &run_refund, {.timeout = std::chrono::minutes(5)});
    cuebox::registry handlers;
    handlers.add(tasks::make_task_handler("platform.agent_tasks", std::move(executors)));
    cuebox::context_options options;
    options.name = "platform";
    options.generation = 1;
    options.observer = [&runs](const cuebox::handling::handled_note&) { runs.pass(); };
    cuebox::loop loop{executor};
    cuebox::context platform{loop, pool, handlers.take(), std::move(options)};
    platform.start();

    // The place where the business change itself is written too.
    const cuebox::outbox::publisher publisher{{.source = "shop", .generation = 1}};
    auto connection = co_await pool.borrow();
    pg::transaction asking{*connection};
    tasks::new_task wanted{.kind = "refund", .input = R"({"order": 7, "cents": 4500})"};
    wanted.target = "platform";
    const auto id = co_await tasks::create_task(asking, publisher, std::move(wanted));
    co_await asking.commit();
    co_await runs.reach(1);
    co_await print(pool, id);

    pg::transaction deciding{*connection};
    tasks::decision yes{.task = id, .by = "grace", .note = "a good customer"};
    co_await tasks::approve_task(deciding, publisher, std::move(yes));
    co_await deciding.commit();
    co_await runs.reach(2);
    co_await print(pool, id);

    platform.stop();
    co_await platform.ended();
}

int main()
{
    try {
        const cuebox::embedded::server postgres;
        asio::io_context io;
        auto done = asio::co_spawn(io, run({.conninfo = postgres.conninfo()}), asio::use_future);
        io.run();
        done.get();
        return 0;
    }
    catch (const std::exception& failure) {
        std::fprintf(stderr, "agent_tasks: %s\n", failure.what());
        return 1;
    }
}
