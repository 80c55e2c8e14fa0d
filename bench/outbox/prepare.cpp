#include "prepare.hpp"

#include "backlog.hpp"
#include "session.hpp"
#include "times.hpp"

#include <cuebox/outbox/migrate.hpp>
#include <cuebox/pg/transaction.hpp>

#include <algorithm>

namespace bench::outbox {

namespace {

constexpr std::int64_t per_copy = 10'000;

constexpr pg::statement allocate{.name = "allocate",
                                 .sql = "select core.allocate_generation('bench')"};
constexpr pg::statement make_projection{.name = "make projection", .sql = R"(
create table public.projection (number bigint primary key, filling text not null))"};
// As a worker leaves them that has been at it for some days.
constexpr pg::statement make_history{.name = "make history", .sql = R"(
insert into core.outbox (id, event_type, source, channel, generation, payload, idempotency_key,
    status, created_at, available_at, delivered_at, quiet)
select id, 'cuebox.bench', 'bench', 'outbox_gen_' || $1::bigint, $1::bigint,
    jsonb_build_object('number', i, 'sent', 0, 'filling', repeat('x', 150)), id::text,
    'delivered', at, at, at, true
from (select i, gen_random_uuid() as id,
          now() - interval '1 day' + i * interval '10 milliseconds' as at
      from generate_series($2::bigint, $3::bigint) i) rows)"};
constexpr pg::statement advance{.name = "advance",
                                .sql = "select core.outbox_advance_floor($1::bigint)"};

pg::awaitable<void> fill(pg::connection& on, std::int64_t generation, std::int64_t events)
{
    for (std::int64_t done = 0; done < events; done += per_copy) {
        const numbers some{.first = done, .end = std::min(done + per_copy, events)};
        pg::transaction work{on};
        co_await add_events(work, generation, some);
        co_await work.commit();
    }
}

pg::awaitable<void> prepare_on(pg::connection& on, task wanted)
{
    const auto generation = co_await on.query_one<std::int64_t>(allocate);
    if (wanted.writes())
        co_await on.execute(make_projection);
    constexpr std::int64_t per_insert = 250'000;
    for (std::int64_t done = 0; done < wanted.history; done += per_insert)
        co_await on.execute(make_history, generation, done + 1,
                            std::min(done + per_insert, wanted.history));
    // A worker's floor would have moved along with them; it does so behind a mark of its own.
    while (wanted.history > 0 &&
           co_await on.query_one<pg::timestamp>(advance, generation) == pg::timestamp::min())
        pause(std::chrono::milliseconds(200));
    co_await fill(on, generation, wanted.events);
}

}

void prepare(const task& wanted)
{
    asio::io_context io{1};
    auto migrated = asio::co_spawn(io, cuebox::outbox::migrate(the_database()), asio::use_future);
    io.run();
    migrated.get();
    session side;
    side.run(prepare_on(side.connection(), wanted));
}

}
