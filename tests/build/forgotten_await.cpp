// Each line CALL(…) is an operation that does nothing unless it is awaited. Compiled as it is, all
// of them are awaited; with FORGOTTEN none is, and the compiler has to complain about each line.
// forgotten_await_test.cmake does both.

#include <cuebox/actors/context.hpp>
#include <cuebox/handlers/agent_tasks/executor.hpp>
#include <cuebox/handlers/agent_tasks/tasks.hpp>
#include <cuebox/handlers/delivery.hpp>
#include <cuebox/http/post.hpp>
#include <cuebox/operations/recovery.hpp>
#include <cuebox/operations/status.hpp>
#include <cuebox/outbox/bulk.hpp>
#include <cuebox/outbox/migrate.hpp>
#include <cuebox/outbox/publisher.hpp>
#include <cuebox/outbox/retention.hpp>
#include <cuebox/pg/copy_in.hpp>
#include <cuebox/pg/pool.hpp>
#include <cuebox/pg/transaction.hpp>
#include <cuebox/runtime/actor.hpp>
#include <cuebox/runtime/scope.hpp>

#ifdef FORGOTTEN
#define CALL(...) __VA_ARGS__
#else
#define CALL(...) co_await __VA_ARGS__
#endif

using namespace cuebox;
using namespace std::chrono_literals;

struct tick
{};
struct get_count
{
    using reply = int;
};
using clerk_messages = messages<tick, get_count>;

constexpr pg::statement insert{.name = "insert", .sql = "insert into t values ($1)"};

awaitable<void> actor(self<clerk_messages>& me, address<clerk_messages> clerk, scope& work,
                      tree& tree, context& context)
{
    CALL(clerk.send(tick{}));
    CALL(me.receive());
    CALL(me.sleep(1s));
    CALL(me.ask(clerk, get_count{}, 1s));
    CALL(ask(me.loop(), clerk, get_count{}, 1s));
    CALL(work.join());
    CALL(tree.ended());
    CALL(context.ended());
    CALL(context.line());
    CALL(context.load());
    co_return;
}

awaitable<void> database(pg::connection& link, pg::pool& pool, pg::connect_options where)
{
    CALL(link.execute(insert, 7));
    CALL(link.query<int>(insert, 7));
    CALL(link.query_first<int>(insert, 7));
    CALL(link.query_one<int>(insert, 7));
    CALL(link.run(pg::pipeline()));
    CALL(link.run_script(insert));
    CALL(link.describe(insert, pg::params()));
    CALL(link.listen("a"));
    CALL(link.unlisten("a"));
    CALL(link.next_notification(1s));
    CALL(pool.borrow());
    CALL(pool.warm(2));
    CALL(pg::connect(where));
    CALL(outbox::migrate(where));
    CALL(outbox::read_retention(link));
    CALL(outbox::sweep(link, std::nullopt));
    CALL(operations::read_status(link));
    CALL(operations::count_dlq_events(link, {}));
    CALL(operations::replay_dlq_event(link, {}));
    co_return;
}

awaitable<void> transaction(pg::transaction& work, pg::savepoint& point, pg::copy_in& copy,
                            const outbox::publisher& publisher, outbox::bulk& bulk,
                            outbox::outgoing event)
{
    CALL(work.execute(insert, 7));
    CALL(work.query_one<int>(insert, 7));
    CALL(work.run(pg::pipeline()));
    CALL(work.flush());
    CALL(work.savepoint());
    CALL(work.commit());
    CALL(work.commit_with(pg::pipeline()));
    CALL(work.rollback());
    CALL(point.release());
    CALL(point.rollback());
    CALL(pg::copy_in::start(work, insert));
    CALL(copy.write(7));
    CALL(copy.finish());
    CALL(publisher.publish(work, event));
    CALL(publisher.publish(work, std::vector<outbox::outgoing>()));
    CALL(outbox::bulk::start(work));
    CALL(bulk.add(event));
    CALL(bulk.finish());
    CALL(agent_tasks::reject_task(work, {}));
    CALL(agent_tasks::cancel_task(work, {}, "me", ""));
    CALL(agent_tasks::get_task(work, {}));
    CALL(agent_tasks::list_tasks(work, {}));
    co_return;
}

awaitable<void> handler(delivery<raw_payload> event, const agent_tasks::task_run& run,
                        std::shared_ptr<const http::post_target> target)
{
    CALL(event.begin());
    CALL(run.begin());
    CALL(run.unwanted());
    CALL(run.why_unwanted());
    CALL(http::post(target, {}, "", {}));
    co_return;
}
