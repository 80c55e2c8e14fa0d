#include "bench_runner.hpp"

#include <cuebox/outbox/migrate.hpp>

namespace cuebox::cli {

namespace {

constexpr pg::statement allocate{.name = "allocate generation",
                                 .sql = "select core.allocate_generation('bench')"};
constexpr pg::statement has_open{.name = "has open",
                                 .sql = "select core.outbox_has_open($1::bigint)"};
// Versions that are left to vacuum or to the next reader of their page.
constexpr pg::statement counts{.name = "counts", .sql = R"(
select (select xact_commit from pg_stat_database where datname = current_database()) as commits,
    (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint as wal,
    (select coalesce(sum(n_dead_tup), 0)::bigint from pg_stat_user_tables
     where schemaname = 'core') as dead
where $1::bigint is not null)"};
constexpr pg::statement flush_stats{.name = "flush statistics",
                                    .sql = "select pg_stat_force_next_flush()::text"};

}

bench_event make_event(std::int64_t number)
{
    return {.number = number, .sent = 0, .filling = std::string(150, 'x')};
}

bench_runner::bench_runner(const pg::connect_options& database, const bench_case& how,
                           std::function<void(const bench_event&)> handled)
    : on_handled_(std::move(handled))
{
    run(open_side(database));
    registry handlers;
    if (how.transactional)
        handlers.on<bench_event>("bench.count",
                                 [this](delivery<bench_event> event, pg::transaction& work) {
                                     return count_within(this, std::move(event), work);
                                 });
    else
        handlers.on<bench_event>("bench.count", [this](delivery<bench_event> event) {
            return count(this, std::move(event));
        });
    pool_.emplace(
        pg::pool_options{.connect = database, .rules = {.size = 2 * how.settings.lanes + 4}});
    context_options options;
    options.name = "bench";
    options.generation = generation_;
    options.settings = how.settings;
    options.log = {};
    context_.emplace(loop_, *pool_, handlers.take(), std::move(options));
    thread_ = std::thread([this] { io_.run(); });
}

bench_runner::~bench_runner()
{
    stop();
    asio::post(side_io_, [this] { side_.reset(); });
    side_guard_.reset();
    side_thread_.join();
}

awaitable<void> bench_runner::open_side(pg::connect_options database)
{
    co_await outbox::migrate(database);
    side_.emplace(co_await pg::connect(database));
    generation_ = co_await side_->query_one<std::int64_t>(allocate);
}

awaitable<void> bench_runner::count(bench_runner* self, delivery<bench_event> event)
{
    self->on_handled_(*event);
    self->handled_.fetch_add(1, std::memory_order_relaxed);
    co_return;
}

awaitable<void> bench_runner::count_within(bench_runner* self, delivery<bench_event> event,
                                           pg::transaction&)
{
    return count(self, std::move(event));
}

void bench_runner::start()
{
    context_->start();
}

void bench_runner::stop()
{
    if (!thread_.joinable())
        return;
    context_->stop();
    asio::co_spawn(io_, context_->ended(), asio::use_future).get();
    asio::post(io_, [this] { pool_->close(); });
    guard_.reset();
    thread_.join();
}

void bench_runner::wait_until_listening()
{
    for (;;) {
        try {
            const auto health = asio::co_spawn(io_, context_->line(), asio::use_future).get();
            if (health.listening)
                return;
        }
        catch (const ask_error&) {
            // Not started yet.
        }
    }
}

void bench_runner::wait_until_settled(std::int64_t events, const std::function<void()>& meanwhile)
{
    while (handled() < events || query<bool>(has_open))
        meanwhile();
}

server_counts count_server(bench_runner& runner)
{
    runner.run(runner.side().execute(flush_stats));
    return runner.query<server_counts>(counts);
}

}
