#include "demo_account.hpp"

#include "progress.hpp"

#include <cstdio>

namespace cuebox::cli {

// As the database has it.
struct demo_audit
{
    std::int64_t rows = 0;
    std::int64_t delivered = 0;
    std::int64_t retries = 0;
    std::int64_t events_retried = 0;
    std::int64_t dead_letters = 0;
    std::int64_t replayed = 0;
    std::int64_t dedup_records = 0;
    std::int64_t ledger_entries = 0;
    std::int64_t ledger_events = 0;
    std::int64_t ledger_cents = 0;
};

namespace {

constexpr pg::statement measure{.name = "measure latency", .sql = R"(
select coalesce(percentile_cont(0.5) within group (order by t.ms), 0)::float8 as p50_ms,
    coalesce(percentile_cont(0.99) within group (order by t.ms), 0)::float8 as p99_ms
from (select extract(epoch from o.delivered_at - o.occurred_at) * 1000 as ms from core.outbox o
      where o.status = 'delivered' and o.attempts = 0 and o.failure_history = '[]') t)"};

constexpr pg::statement count_all{.name = "audit", .sql = R"(
select count(*) as rows,
    count(*) filter (where o.status = 'delivered') as delivered,
    coalesce(sum(o.attempts), 0)::bigint as retries,
    count(*) filter (where o.attempts > 0) as events_retried,
    count(*) filter (where o.failed_at is not null or o.failure_history <> '[]') as dead_letters,
    count(*) filter (where o.status = 'delivered' and o.failure_history <> '[]') as replayed,
    (select count(*) from core.event_handled) as dedup_records,
    (select count(*) from demo.ledger) as ledger_entries,
    (select count(distinct event_id) from demo.ledger) as ledger_events,
    (select coalesce(sum(cents), 0)::bigint from demo.ledger) as ledger_cents
from core.outbox o)"};

std::string commas(std::int64_t number)
{
    return with_commas(static_cast<std::size_t>(number));
}

// The parts of it that must hold, one for each line.
struct findings
{
    explicit findings(const demo_account& a)
        : delivered(a.published > 0 && a.rows == a.published && a.delivered == a.published &&
                    a.dedup_records == a.published),
          ledger(a.orders > 0 && a.ledger_entries == a.orders && a.ledger_events == a.orders &&
                 a.ledger_cents == a.cents),
          shipped(a.parcels > 0 && a.parcels_shipped == a.parcels),
          retried(a.retries > 0 && a.retries == a.retries_planned),
          recovered(a.line_lost == 1 && a.line_back_after_ms > 0),
          replayed(a.dead_letters == 1 && a.replayed == 1)
    {}

    bool all() const { return delivered && ledger && shipped && retried && recovered && replayed; }

    bool delivered;
    bool ledger;
    bool shipped;
    bool retried;
    bool recovered;
    bool replayed;
};

}

pg::awaitable<demo_latency> measure_latency(pg::connection& database)
{
    return database.query_one<demo_latency>(measure);
}

pg::awaitable<void> audit(pg::connection& database, demo_shop& shop, demo_account& account)
{
    const auto found = co_await database.query_one<demo_audit>(count_all);
    account.rows = found.rows;
    account.delivered = found.delivered;
    account.retries = found.retries;
    account.events_retried = found.events_retried;
    account.dead_letters = found.dead_letters;
    account.replayed = found.replayed;
    account.dedup_records = found.dedup_records;
    account.ledger_entries = found.ledger_entries;
    account.ledger_events = found.ledger_events;
    account.ledger_cents = found.ledger_cents;

    const demo_shop::plan& planned = shop.planned();
    account.published = planned.orders + planned.parcels;
    account.orders = planned.orders;
    account.cents = planned.cents;
    account.parcels = planned.parcels;
    account.retries_planned = planned.retries;
    account.parcels_shipped = static_cast<std::int64_t>(shop.carrier().parcels.size());
    for (const auto& [number, times] : shop.carrier().parcels)
        account.parcels_shipped_twice += times > 1 ? 1 : 0;
    account.adds_up = findings(account).all();
}

void print_account(const demo_account& a, const demo_screen& screen)
{
    const findings held(a);
    const auto tell = [&screen](bool good, const std::string& what) {
        std::printf("  %s  %s\n", screen.mark(good).c_str(), what.c_str());
    };
    std::puts("What the database says:");
    tell(held.delivered, commas(a.published) + " events published, " + commas(a.delivered) +
                             " delivered, " + commas(a.rows - a.delivered) + " left");
    tell(held.ledger, commas(a.orders) + " orders, " + commas(a.ledger_entries) +
                          " ledger entries: each written " +
                          (held.ledger ? "exactly once" : "NOT exactly once"));
    tell(held.shipped, commas(a.parcels) + " parcels, " + commas(a.parcels_shipped) +
                           " handed to the carrier, " + commas(a.parcels_shipped_twice) + " twice");
    tell(held.retried, commas(a.retries) + " retries of " + commas(a.events_retried) +
                           " events that failed at first; " + commas(a.retries_planned) +
                           " were to be expected");
    tell(held.recovered, commas(a.line_lost) + " LISTEN connection killed, listening again after " +
                             print_short(std::chrono::microseconds(
                                 static_cast<std::int64_t>(a.line_back_after_ms * 1'000))));
    tell(held.replayed, commas(a.dead_letters) + " dead letter, " + commas(a.replayed) +
                            " replayed and delivered, its failure kept in its history");
    std::puts("");
    if (!a.adds_up) {
        std::puts("That does not add up: please report it, with what is above.");
        return;
    }
    std::puts("Try next, on a Postgres that stays:\n"
              "  export CUEBOX_DATABASE_URL=embedded:/tmp/try-cuebox CUEBOX_GENERATION=1\n"
              "  cuebox migrate\n"
              "  cuebox publish --type order.placed --source shop --payload '{\"number\": 7}'\n"
              "  cuebox worker --config examples/log_orders.jaxn");
}

}
