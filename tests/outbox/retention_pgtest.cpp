#include "support/migrated.hpp"
#include "support/psql.hpp"
#include "support/session.hpp"

#include <cuebox/outbox/error.hpp>
#include <cuebox/outbox/retention.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace cuebox;
using namespace cuebox::outbox;
using outbox::test::migrated;
using outbox::test::run;
using namespace std::chrono_literals;

namespace {

pg::awaitable<retention> read(pg::connect_options where)
{
    pg::connection database = co_await pg::connect(where);
    const retention found = co_await read_retention(database);
    co_return found;
}

pg::awaitable<swept> sweep_once(pg::connect_options where, std::optional<retention> rules)
{
    pg::connection database = co_await pg::connect(where);
    const swept done = co_await sweep(database, rules);
    co_return done;
}

std::string refusal(const migrated& database, const std::string& sql)
{
    try {
        database.query(sql);
    }
    catch (const std::exception& error) {
        return error.what();
    }
    return "";
}

// A row that was delivered so long ago, and its dedup record.
void deliver(const migrated& database, const std::string& ago)
{
    database.query("select core.outbox_publish('order.placed', 'shop', 1);"
                   "update core.outbox set status = 'delivered', created_at = now() - interval '" +
                   ago + "', available_at = created_at, delivered_at = now() - interval '" + ago +
                   "' where status = 'pending'");
}

}

TEST_CASE("a dedup record outlives every row that could be replayed, by default and by contract")
{
    const retention stock;

    // The contract's numbers.
    CHECK(stock.outbox_active == std::chrono::days(45));
    CHECK(stock.outbox_grace == std::chrono::days(7));
    CHECK(stock.handled_active == std::chrono::days(60));
    CHECK(stock.handled_grace == std::chrono::days(7));
    CHECK(stock.handled_active > stock.outbox_active + stock.outbox_grace);
    CHECK(why_refused(stock).empty());
    CHECK(!why_refused({.handled_active = std::chrono::days(52)}).empty());
    CHECK(why_refused({.handled_active = std::chrono::days(52) + 1s}).empty());
}

TEST_CASE("the registry starts with the defaults of the code", "[outbox]")
{
    const migrated database;

    CHECK(run(read(database.options())) == retention{});
}

TEST_CASE("the registry refuses a policy by which a replay could run twice", "[outbox]")
{
    const migrated database;

    CHECK(refusal(database, "update core.retention_policies set active = '52 days' "
                            "where subject = 'event_handled'")
              .find("a replay could run twice") != std::string::npos);
    CHECK(refusal(database, "delete from core.retention_policies where subject = 'outbox_row'")
              .find("needs a policy") != std::string::npos);
    CHECK(run(read(database.options())) == retention{});
}

TEST_CASE("two policies that go together may be changed one after the other", "[outbox]")
{
    const migrated database;

    database.query("begin; update core.retention_policies set active = '100 days' where "
                   "subject = 'outbox_row'; update core.retention_policies set active = '120 days' "
                   "where subject = 'event_handled'; commit");

    const retention now = run(read(database.options()));
    CHECK(now.outbox_active == std::chrono::days(100));
    CHECK(now.handled_active == std::chrono::days(120));
    CHECK(database.query("select bool_and(changed_by = session_user and changed_at > now() - "
                         "interval '1 minute') from core.retention_policies") == "t");
}

TEST_CASE("a sweep follows the registry, unless it is told otherwise", "[outbox]")
{
    const migrated database;
    deliver(database, "50 days");

    const retention longer{.outbox_active = std::chrono::days(60),
                           .outbox_grace = std::chrono::days(7),
                           .handled_active = std::chrono::days(90)};
    CHECK(run(sweep_once(database.options(), longer)).tombstoned == 0);
    const swept by_registry = run(sweep_once(database.options(), std::nullopt));
    CHECK(by_registry.ran);
    CHECK(by_registry.tombstoned == 1);
    CHECK(by_registry.deleted == 0);
}

TEST_CASE("a sweep by rules that cannot be is refused before it touches anything", "[outbox]")
{
    const migrated database;
    deliver(database, "50 days");

    const retention wrong{.handled_active = std::chrono::days(10)};
    CHECK_THROWS_AS(run(sweep_once(database.options(), wrong)), retention_error);
    CHECK(database.query("select count(*) from core.outbox where deleted_at is null") == "1");
}

TEST_CASE("what is kept forever is kept for 1000 years, not swept at once", "[outbox]")
{
    const migrated database;
    deliver(database, "50 days");

    for (const std::string years : {"1001", "9999", "400000"})
        CHECK(refusal(database, "update core.retention_policies set active = '" + years +
                                    " years' where subject = 'event_handled'")
                  .find("violates check constraint") != std::string::npos);
    database.query("begin; update core.retention_policies set active = '999 years', grace = '0'; "
                   "update core.retention_policies set active = '1000 years' "
                   "where subject = 'event_handled'; commit");
    const swept done = run(sweep_once(database.options(), std::nullopt));

    CHECK(done.ran);
    CHECK(done.tombstoned == 0);
    CHECK(run(read(database.options())).handled_active == retention_max);
    CHECK(!why_refused({.handled_active = retention_max + 1s}).empty());
    CHECK(!why_refused({.outbox_active = std::chrono::seconds::max(),
                        .outbox_grace = std::chrono::seconds::max()})
               .empty());
}

TEST_CASE("the registry compares years and days as the code does", "[outbox]")
{
    const migrated database;

    // An interval of a year is 360 days to a comparison, and 365.25 to extract, which sweeps use.
    CHECK(refusal(database, "begin; update core.retention_policies set active = '1 year', "
                            "grace = '0' where subject = 'outbox_row'; "
                            "update core.retention_policies set active = '365 days' "
                            "where subject = 'event_handled'; commit")
              .find("a replay could run twice") != std::string::npos);
    database.query("begin; update core.retention_policies set active = '1 year', grace = '0' "
                   "where subject = 'outbox_row'; update core.retention_policies "
                   "set active = '366 days' where subject = 'event_handled'; commit");
    CHECK(why_refused(run(read(database.options()))).empty());
    CHECK(refusal(database, "update core.retention_policies set active = '0.4 seconds' "
                            "where subject = 'outbox_row'")
              .find("violates check constraint") != std::string::npos);
}

TEST_CASE("two changes of the registry at once are checked together", "[outbox]")
{
    const migrated database;
    cuebox::test::session one{database.conninfo()};
    cuebox::test::session other{database.conninfo()};

    // Each is fine with what the other finds: 50 and 7 days below 60, 45 and 7 below 55.
    one.ask("begin; update core.retention_policies set active = '50 days' "
            "where subject = 'outbox_row'");
    other.start("update core.retention_policies set active = '55 days' "
                "where subject = 'event_handled'");
    one.ask("commit");

    CHECK(other.refused().find("a replay could run twice") != std::string::npos);
    CHECK(why_refused(run(read(database.options()))).empty());
}
