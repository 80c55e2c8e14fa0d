#pragma once

#include "actors/running_context.hpp"
#include "support/eventually.hpp"

#include <cuebox/handlers/agent_tasks/task_handler.hpp>
#include <cuebox/handlers/agent_tasks/tasks.hpp>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <atomic>

namespace cuebox::agent_tasks::test {

using namespace std::chrono_literals;
using cuebox::actors::test::ledger;
using cuebox::actors::test::running_context;
using cuebox::outbox::test::migrated;
namespace asio = boost::asio;

constexpr retry_policy quick{.max_retries = 2, .base = 1ms, .multiplier = 1, .cap = 1ms};

// A database of its own, and a context in which tasks run by executors that the test writes.
class office
{
public:
    explicit office(executor_registry executors, duration watch = 1h)
    {
        registry handlers;
        handlers.add(make_task_handler("platform.agent_tasks", std::move(executors),
                                       {.retry = quick, .terminal = {}, .watch = watch}));
        context_.emplace(database, handlers, book);
        context_->wait_until_listening();
    }

    // Each in a transaction of its own, as somebody else would do it.
    event::uuid create(new_task what)
    {
        return outbox::test::run(create_in(database.options(), std::move(what)));
    }
    event::uuid ask_for(std::string kind) { return create(new_task{.kind = std::move(kind)}); }
    event::uuid approve(decision what)
    {
        return outbox::test::run(approve_in(database.options(), std::move(what)));
    }
    void reject(decision what)
    {
        outbox::test::run(reject_in(database.options(), std::move(what)));
    }
    void cancel(event::uuid id, std::string reason)
    {
        outbox::test::run(cancel_in(database.options(), id, std::move(reason)));
    }
    std::optional<task> get(event::uuid id)
    {
        return outbox::test::run(get_in(database.options(), id));
    }
    std::vector<task> list(task_filter which)
    {
        return outbox::test::run(list_in(database.options(), std::move(which)));
    }
    // Until all of its handler's runs so far have ended so, as often.
    bool handled(std::string_view how, std::size_t times = 1)
    {
        return book.wait([&](const ledger& all) { return all.count(how) >= times; });
    }
    // The row is settled a moment after its handler is done.
    bool rows_are(std::string_view which) const
    {
        return cuebox::test::eventually([&] { return rows() == which; });
    }
    std::string rows() const
    {
        return database.query("select string_agg(status || ' ' || idempotency_key, ', ' order by "
                              "created_at) from core.outbox");
    }
    void replay(const event::uuid& task) const
    {
        database.query("select core.outbox_replay(dispatch_event_id, 7, 'tests') from "
                       "platform.agent_tasks where id = '" +
                       event::print_uuid(task) + "'");
    }
    void stop() { context_->stop(); }

    migrated database;
    ledger book;

    static outbox::publisher publisher()
    {
        return outbox::publisher{{.source = "api", .generation = 7}};
    }

private:
    static awaitable<event::uuid> create_in(pg::connect_options where, new_task what)
    {
        pg::connection connection = co_await pg::connect(where);
        pg::transaction work{connection};
        const auto sender = publisher();
        const auto id = co_await create_task(work, sender, std::move(what));
        co_await work.commit();
        co_return id;
    }
    static awaitable<event::uuid> approve_in(pg::connect_options where, decision what)
    {
        pg::connection connection = co_await pg::connect(where);
        pg::transaction work{connection};
        const auto sender = publisher();
        const auto id = co_await approve_task(work, sender, std::move(what));
        co_await work.commit();
        co_return id;
    }
    static awaitable<void> reject_in(pg::connect_options where, decision what)
    {
        pg::connection connection = co_await pg::connect(where);
        pg::transaction work{connection};
        co_await reject_task(work, std::move(what));
        co_await work.commit();
    }
    static awaitable<void> cancel_in(pg::connect_options where, event::uuid id, std::string reason)
    {
        pg::connection connection = co_await pg::connect(where);
        pg::transaction work{connection};
        co_await cancel_task(work, id, "ada", std::move(reason));
        co_await work.commit();
    }
    static awaitable<std::optional<task>> get_in(pg::connect_options where, event::uuid id)
    {
        pg::connection connection = co_await pg::connect(where);
        pg::transaction work{connection};
        auto found = co_await get_task(work, id);
        co_await work.commit();
        co_return found;
    }
    static awaitable<std::vector<task>> list_in(pg::connect_options where, task_filter which)
    {
        pg::connection connection = co_await pg::connect(where);
        pg::transaction work{connection};
        auto found = co_await list_tasks(work, std::move(which));
        co_await work.commit();
        co_return found;
    }

    std::optional<running_context> context_;
};

template <class F>
awaitable<outcome> answer(F f, int number, const task& what, const task_run& run)
{
    co_return f(number, what, run);
}

// An executor from a function that need not wait; it is told which run of the test this is.
template <class F>
executor at_once(F f)
{
    auto runs = std::make_shared<std::atomic<int>>(0);
    return
        [f, runs](const task& what, const task_run& run) { return answer(f, ++*runs, what, run); };
}

}
